/** A picture of a message or of a tool's result, asked for when it comes into sight. */
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { RpcParams, RpcResult } from "../../protocol/rpc.js";
import { call } from "../link/call.js";
import { S } from "../strings.js";
import { Picture } from "../text/picture.js";
import { Icon } from "../ui/icon.js";
import { ChatContext } from "./chat-context.js";

export function ChatPicture({ of }: { of: RpcParams<"chat.image">["ref"] }) {
  const tab = useContext(ChatContext);
  const place = useRef<HTMLSpanElement>(null);
  const [image, setImage] = useState<RpcResult<"chat.image"> | undefined>(undefined);
  const key = JSON.stringify(of);
  useEffect(() => {
    if (place.current === null) return;
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      call("chat.image", { ...tab, ref: of }).then(setImage, () => undefined); // the placeholder stays
    });
    seen.observe(place.current);
    return () => seen.disconnect();
  }, [tab, key]);
  if (image !== undefined) return <Picture mediaType={image.mediaType} data={image.data} alt={S.picture} />;
  return (
    <span ref={place} class="picture-place">
      <Icon name="image" />
    </span>
  );
}
