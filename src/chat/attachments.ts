/**
 * Images that wait for their message: in memory, for the device and tab that
 * brought them, for ten minutes.
 */
import { randomBytes } from "node:crypto";
import { notFound, unavailable } from "../protocol/errors.js";
import type { ImageData } from "./driver.js";
import { checkAttachment } from "./images.js";
import { ATTACHMENT_TTL_MS, MAX_ATTACHMENTS_HELD, MAX_ATTACHMENTS_PER_DEVICE } from "./limits.js";

interface Held extends ImageData {
  readonly deviceId: string;
  readonly tabId: string;
  readonly until: number;
}

export class Attachments {
  readonly #held = new Map<string, Held>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Unavailable when the device, or all of them, hold too many. */
  add(owner: { deviceId: string; tabId: string }, image: { mediaType: string; data: string }): string {
    this.#expire();
    const own = [...this.#held.values()].filter((held) => held.deviceId === owner.deviceId).length;
    if (own >= MAX_ATTACHMENTS_PER_DEVICE || this.#held.size >= MAX_ATTACHMENTS_HELD) {
      throw unavailable("Too many images wait for their message; send them first");
    }
    const data = checkAttachment(image.mediaType, image.data);
    const id = randomBytes(12).toString("base64url");
    this.#held.set(id, {
      ...owner,
      mediaType: image.mediaType,
      data,
      until: this.#now() + ATTACHMENT_TTL_MS,
    });
    return id;
  }

  /** The images, without taking them; NotFound for one of another device or tab, or too old. */
  find(owner: { deviceId: string; tabId: string }, ids: readonly string[]): ImageData[] {
    this.#expire();
    return ids.map((id) => {
      const held = this.#held.get(id);
      if (held?.deviceId !== owner.deviceId || held.tabId !== owner.tabId) throw notFound("attachment");
      return { mediaType: held.mediaType, data: held.data };
    });
  }

  drop(ids: readonly string[]): void {
    for (const id of ids) this.#held.delete(id);
  }

  /** The device was revoked. */
  dropDevice(deviceId: string): void {
    for (const [id, held] of this.#held) if (held.deviceId === deviceId) this.#held.delete(id);
  }

  #expire(): void {
    for (const [id, held] of this.#held) if (held.until <= this.#now()) this.#held.delete(id);
  }
}
