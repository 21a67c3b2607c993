/** Copies text also where there is no secure context and so no clipboard object. */
import { S } from "../strings.js";
import { toast } from "./toast.js";

export function copyText(text: string): void {
  if (navigator.clipboard !== undefined) {
    navigator.clipboard.writeText(text).then(
      () => toast(S.copied),
      () => toast(S.notCopied, "error"),
    );
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "off-screen";
  // inside an open dialog, or the focus would be refused
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  toast(done ? S.copied : S.notCopied, done ? "info" : "error");
}
