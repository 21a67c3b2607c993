/** Where the pairing link comes in by hand: pasted, or read off a photo. */
import { useState } from "preact/hooks";
import { S } from "../strings.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { linkOfPhoto } from "./photo.js";

export function LinkForm({ onLink }: { onLink: (link: string) => void }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const readPhoto = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const link = await linkOfPhoto(file).catch(() => undefined);
    if (link === undefined) setProblem(S.pairNoCode);
    else onLink(link);
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onLink(text.trim());
      }}
    >
      <h1>{S.pairTitle}</h1>
      <p class="lead">{S.pairLead}</p>
      <ol class="steps">
        <li>
          {S.pairHow} <code>{S.pairCommand}</code>
        </li>
        <li>{S.pairThen}</li>
      </ol>
      <label class="field">
        <span>{S.pairPaste}</span>
        <textarea
          rows={3}
          value={text}
          placeholder={S.pairPasteHint}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <Button kind="primary" submit wide disabled={text.trim() === ""}>
        {S.pairGo}
      </Button>
      <label class="button wide file-button">
        <Icon name="image" /> {S.pairPhoto}
        <input
          type="file"
          accept="image/*"
          class="hidden-input"
          onChange={(event) => void readPhoto(event.currentTarget.files?.[0])}
        />
      </label>
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
