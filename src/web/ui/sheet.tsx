/** A sheet over the page: from below on a phone, in the middle on a laptop. The browser's own dialog keeps the focus. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { S } from "../strings.js";
import { IconButton } from "./button.js";

interface SheetProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Sheet({ title, onClose, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the dialog itself closes on Escape
    <dialog
      ref={dialog}
      class="sheet"
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose(); // the backdrop
      }}
    >
      <div class="sheet-inside">
        <header class="sheet-head">
          <h2 id={titleId}>{title}</h2>
          <IconButton icon="close" label={S.close} onClick={onClose} />
        </header>
        <div class="sheet-body">{children}</div>
      </div>
    </dialog>
  );
}
