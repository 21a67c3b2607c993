/**
 * The token that a tab's programs speak to the agents' socket with. It is
 * derived, so it outlives a restart of the daemon as the programs do, and is
 * dead once the tab is closed.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

export class TabTokens {
  readonly #key: Uint8Array;

  /** `key`: 32 secret bytes of this daemon's state. */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  of(tabId: string): string {
    return `${tabId}.${this.#mac(tabId).toString("base64url")}`;
  }

  /** The tab that a token is of; undefined for a forged one. Whether the tab is open is for the caller to ask. */
  tabOf(token: string): string | undefined {
    const dot = token.lastIndexOf(".");
    if (dot === -1) return undefined;
    const tabId = token.slice(0, dot);
    const given = Buffer.from(token.slice(dot + 1), "base64url");
    const right = this.#mac(tabId);
    return given.length === right.length && timingSafeEqual(given, right) ? tabId : undefined;
  }

  #mac(tabId: string): Buffer {
    return createHmac("sha256", this.#key).update(`nexus tab 1\0${tabId}`).digest();
  }
}
