/** Short words that pass by themselves, read out by screen readers. */
import { signal } from "@preact/signals";
import { TOAST_MS } from "../limits.js";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly level: "info" | "error";
}

const toasts = signal<readonly Toast[]>([]);
let nextId = 0;

export function toast(text: string, level: Toast["level"] = "info"): void {
  const id = ++nextId;
  toasts.value = [...toasts.value.slice(-2), { id, text, level }];
  setTimeout(() => {
    toasts.value = toasts.value.filter((shown) => shown.id !== id);
  }, TOAST_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, level }) => (
        <p key={id} class={`toast ${level}`}>
          {text}
        </p>
      ))}
    </div>
  );
}
