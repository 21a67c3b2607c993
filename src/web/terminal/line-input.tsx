/** Text for a terminal: sent whole with Enter, or key by key when typing goes straight in. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { S } from "../strings.js";
import { IconButton } from "../ui/button.js";
import { ctrlOf, keyOf } from "./key-names.js";
import type { Typist } from "./typist.js";

/** Stands in the field while typing goes straight in, so that a phone's Backspace has something to delete. */
const SENTINEL = " ";

interface LineInputProps {
  typist: Typist;
  direct: boolean;
  ctrl: boolean;
  onCtrlUsed: () => void;
}

export function LineInput({ typist, direct, ctrl, onCtrlUsed }: LineInputProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const composing = useRef(false);
  const [text, setText] = useState("");
  useLayoutEffect(() => {
    if (!direct || field.current === null) return;
    field.current.value = SENTINEL;
    field.current.focus();
  }, [direct]);
  const send = (): void => {
    if (typist.line(text)) setText("");
  };
  /** With Ctrl held on the key row the next letter is a control key. True when it was. */
  const takeCtrl = (letter: string): boolean => {
    const key = ctrl ? ctrlOf(letter) : undefined;
    if (key === undefined) return false;
    typist.key(key);
    onCtrlUsed();
    return true;
  };
  const straight = (element: HTMLTextAreaElement): void => {
    const { value } = element;
    if (value.length < SENTINEL.length) typist.key("backspace");
    else {
      const typed = value.startsWith(SENTINEL) ? value.slice(SENTINEL.length) : value;
      if (typed === "\n") typist.key("enter");
      else if (typed !== "" && !takeCtrl(typed)) typist.text(typed);
    }
    element.value = SENTINEL;
  };
  return (
    <div class={`line-input${direct ? " direct" : ""}`}>
      <textarea
        ref={field}
        rows={1}
        class="mono"
        aria-label={direct ? S.direct : S.terminalInput}
        placeholder={S.terminalHint}
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        {...(direct ? {} : { value: text })}
        onCompositionStart={() => {
          composing.current = true;
        }}
        onCompositionEnd={(event) => {
          composing.current = false;
          if (direct) straight(event.currentTarget);
        }}
        onInput={(event) => {
          const element = event.currentTarget;
          if (direct) {
            if (!composing.current) straight(element);
          } else if (element.value.length === text.length + 1 && takeCtrl(element.value.slice(-1)))
            element.value = text;
          else setText(element.value);
        }}
        onKeyDown={(event) => {
          if (event.isComposing || composing.current) return;
          if (!direct) {
            if (event.key === "Enter" && !event.shiftKey) {
              event.preventDefault();
              send();
            } else if (event.ctrlKey && text === "" && keyOf(event) !== undefined && event.key !== "v") {
              event.preventDefault();
              const key = keyOf(event);
              if (key !== undefined) typist.key(key);
            }
            return;
          }
          const key = event.ctrlKey && event.key === "v" ? undefined : keyOf(event);
          if (key === undefined) return;
          event.preventDefault();
          typist.key(key);
        }}
      />
      {direct ? (
        <span class="direct-hint">{S.directHint}</span>
      ) : (
        <IconButton icon="send" label={S.send} onClick={send} extra="send" />
      )}
    </div>
  );
}
