/**
 * What is typed into one terminal, in the order in which it was typed: one
 * request at a time, and what comes meanwhile goes together in the next.
 */
import { type Signal, signal } from "@preact/signals";
import type { RpcParams, TerminalKey } from "../../protocol/rpc.js";
import { MAX_INPUT_CHARS, SEND_TIMEOUT_MS } from "../limits.js";
import { call, isLive, messageOf } from "../link/call.js";
import type { TabRef } from "../sessions/session-page.js";
import { S } from "../strings.js";
import { toast } from "../ui/toast.js";

type Part = Pick<RpcParams<"terminal.input">, "text" | "keys" | "enter">;

/** Keys of one request; the protocol's bound. */
const MAX_KEYS = 64;

export class Typist {
  readonly #tab: TabRef;
  #parts: Part[] = [];
  #busy = false;
  /** Parts on their way or waiting for the link. */
  readonly waiting: Signal<number> = signal(0);

  constructor(tab: TabRef) {
    this.#tab = tab;
  }

  /** Text as a paste, with Enter after it. It waits for the link if need be. False when it is too long. */
  line(text: string): boolean {
    if (text.length > MAX_INPUT_CHARS) {
      toast(S.tooLong, "error");
      return false;
    }
    this.#add(text === "" ? { enter: true } : { text, enter: true });
    return true;
  }

  /** Characters as they come; keys need a live link, since they mean the screen that one sees. */
  text(text: string): void {
    if (!this.#mayKey()) return;
    const last = this.#parts.at(-1);
    if (last !== undefined && last.keys === undefined && last.enter !== true && this.#parts.length > 1) {
      last.text = (last.text ?? "") + text;
    } else this.#add({ text: text.slice(0, MAX_INPUT_CHARS) });
  }

  key(key: TerminalKey): void {
    if (!this.#mayKey()) return;
    const last = this.#parts.at(-1);
    if (this.#parts.length > 1 && last?.keys !== undefined && last.keys.length < MAX_KEYS)
      last.keys.push(key);
    else this.#add({ keys: [key] });
  }

  #mayKey(): boolean {
    if (isLive()) return true;
    toast(S.keysOffline, "error");
    return false;
  }

  #add(part: Part): void {
    this.#parts.push(part);
    this.waiting.value = this.#parts.length;
    if (!this.#busy) void this.#work();
  }

  /** The first part stands in the list until it was taken, and is not added to any more. */
  async #work(): Promise<void> {
    this.#busy = true;
    while (this.#parts[0] !== undefined) {
      try {
        await call("terminal.input", { ...this.#tab, ...this.#parts[0] }, { timeoutMs: SEND_TIMEOUT_MS });
      } catch (error) {
        toast(messageOf(error), "error");
      }
      this.#parts.shift();
      this.waiting.value = this.#parts.length;
    }
    this.#busy = false;
  }
}
