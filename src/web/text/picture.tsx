/** A picture that came as base64: shown from a blob of its own, larger when touched. */
import { useEffect, useState } from "preact/hooks";
import { S } from "../strings.js";
import { Sheet } from "../ui/sheet.js";

export function Picture({ mediaType, data, alt }: { mediaType: string; data: string; alt: string }) {
  const [url, setUrl] = useState<string | undefined>(undefined);
  const [large, setLarge] = useState(false);
  useEffect(() => {
    const bytes = Uint8Array.from(atob(data), (unit) => unit.charCodeAt(0));
    const made = URL.createObjectURL(new Blob([bytes], { type: mediaType }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [mediaType, data]);
  if (url === undefined) return null;
  return (
    <>
      <button type="button" class="picture" onClick={() => setLarge(true)}>
        <img src={url} alt={alt} />
      </button>
      {large && (
        <Sheet title={alt === "" ? S.picture : alt} onClose={() => setLarge(false)}>
          <img class="picture-large" src={url} alt={alt} />
        </Sheet>
      )}
    </>
  );
}
