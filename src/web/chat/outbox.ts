/**
 * Messages on their way to the chats: each waits for the link, goes out once, in
 * order, and stays in sight until the daemon took it. Texts outlive a reload, but
 * are then sent by hand only: another page may hold them too.
 */
import { type Signal, signal } from "@preact/signals";
import { z } from "zod";
import { ClientError } from "../../client/index.js";
import type { ImageMediaType } from "../../protocol/rpc.js";
import { SEND_TIMEOUT_MS } from "../limits.js";
import { call, isLive, messageOf } from "../link/call.js";
import { client, link } from "../link/connection.js";
import type { TabRef } from "../sessions/session-page.js";
import { S } from "../strings.js";

export interface OutgoingPicture {
  readonly mediaType: ImageMediaType;
  /** Base64. */
  readonly data: string;
}

export interface Outgoing {
  readonly id: string;
  readonly text: string;
  readonly pictures: readonly OutgoingPicture[];
  readonly state: "waiting" | "sending" | "failed" | "uncertain";
  readonly why?: string;
}

const KEY = "nexus.outbox.";
const KeptSchema = z.array(z.object({ id: z.string(), text: z.string(), sent: z.boolean() }));
const boxes = new Map<string, Outbox>();

export function outboxOf(tab: TabRef): Outbox {
  const known = boxes.get(tab.tabId);
  if (known !== undefined) return known;
  const made = new Outbox(tab);
  boxes.set(tab.tabId, made);
  return made;
}

export class Outbox {
  readonly #tab: TabRef;
  readonly messages: Signal<readonly Outgoing[]>;
  #busy = false;

  constructor(tab: TabRef) {
    this.#tab = tab;
    this.messages = signal(this.#kept());
    link.subscribe(() => void this.#work());
  }

  add(text: string, pictures: readonly OutgoingPicture[]): void {
    const id = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
    this.#set([...this.messages.value, { id, text, pictures, state: "waiting" }]);
    void this.#work();
  }

  again(id: string): void {
    const message = this.messages.value.find((one) => one.id === id);
    if (message === undefined) return;
    this.#change(id, { id, text: message.text, pictures: message.pictures, state: "waiting" });
    void this.#work();
  }

  discard(id: string): void {
    this.#set(this.messages.value.filter((message) => message.id !== id));
  }

  async #work(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    for (;;) {
      const next = this.messages.value.find((message) => message.state === "waiting");
      if (next === undefined || !isLive() || client.value === undefined) break;
      await this.#send(next);
    }
    this.#busy = false;
  }

  async #send(message: Outgoing): Promise<void> {
    const { id, text, pictures } = message;
    this.#change(id, { ...message, state: "sending" });
    try {
      const attachments: string[] = [];
      for (const picture of pictures) {
        attachments.push((await call("chat.attach", { ...this.#tab, ...picture })).attachmentId);
      }
      const params = { ...this.#tab, text, ...(attachments.length > 0 && { attachments }) };
      await call("chat.send", params, { timeoutMs: SEND_TIMEOUT_MS });
      this.discard(id);
    } catch (error) {
      const unsure = error instanceof ClientError && (error.kind === "uncertain" || error.kind === "timeout");
      this.#change(id, { ...message, state: unsure ? "uncertain" : "failed", why: messageOf(error) });
    }
  }

  #change(id: string, next: Outgoing): void {
    this.#set(this.messages.value.map((message) => (message.id === id ? next : message)));
  }

  #set(messages: readonly Outgoing[]): void {
    this.messages.value = messages;
    const kept = messages.map(({ id, text, state }) => ({ id, text, sent: state !== "waiting" }));
    if (kept.length === 0) localStorage.removeItem(KEY + this.#tab.tabId);
    else localStorage.setItem(KEY + this.#tab.tabId, JSON.stringify(kept));
  }

  #kept(): Outgoing[] {
    try {
      const kept = KeptSchema.parse(JSON.parse(localStorage.getItem(KEY + this.#tab.tabId) ?? "[]"));
      return kept.map(({ id, text, sent }) => ({
        id,
        text,
        pictures: [],
        ...(sent ? { state: "uncertain" } : { state: "failed", why: S.reloaded }),
      }));
    } catch {
      return []; // damaged: nothing that could be sent
    }
  }
}
