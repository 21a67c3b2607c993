/** From a keyboard's events to the keys that the protocol names. Pure. */
import { TERMINAL_KEYS, type TerminalKey } from "../../protocol/rpc.js";

const NAMED: Readonly<Record<string, TerminalKey>> = {
  Enter: "enter",
  Escape: "esc",
  Backspace: "backspace",
  Delete: "delete",
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
  Home: "home",
  End: "end",
  PageUp: "pageup",
  PageDown: "pagedown",
};

export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
}

/** Undefined for what is text, or the browser's own. */
export function keyOf({ key, ctrlKey, shiftKey, altKey, metaKey }: Pressed): TerminalKey | undefined {
  if (metaKey || altKey) return undefined;
  if (key === "Tab") return shiftKey ? "shift-tab" : "tab";
  if (ctrlKey) return ctrlOf(key);
  return NAMED[key];
}

/** The control key of a letter. */
export function ctrlOf(letter: string): TerminalKey | undefined {
  const name = `ctrl-${letter.toLowerCase()}`;
  return TERMINAL_KEYS.find((known) => known === name);
}
