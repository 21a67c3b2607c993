/**
 * The live links, by device: what is said to all links of one, and what ends
 * when its rights shrink or go.
 */
import { CloseCode } from "../protocol/link.js";
import type { Connection } from "./connection.js";
import { MAX_LINKS_PER_DEVICE } from "./limits.js";

export class Links {
  readonly #byDevice = new Map<string, Set<Connection>>();
  readonly #counted = new Set<() => void>();

  /** Takes a connection in; false when its device has all the links it may have. */
  add(connection: Connection): boolean {
    const { deviceId } = connection.caller;
    const links = this.#byDevice.get(deviceId) ?? new Set();
    if (links.size >= MAX_LINKS_PER_DEVICE) return false;
    links.add(connection);
    this.#byDevice.set(deviceId, links);
    connection.onClose(() => {
      links.delete(connection);
      if (links.size === 0 && this.#byDevice.get(deviceId) === links) this.#byDevice.delete(deviceId);
      this.#tell();
    });
    this.#tell();
    return true;
  }

  of(deviceId: string): Connection[] {
    return [...(this.#byDevice.get(deviceId) ?? [])];
  }

  all(): Connection[] {
    return [...this.#byDevice.values()].flatMap((links) => [...links]);
  }

  get size(): number {
    let size = 0;
    for (const links of this.#byDevice.values()) size += links.size;
    return size;
  }

  /** Called when the number of live links changed. */
  onCount(listener: () => void): void {
    this.#counted.add(listener);
  }

  /** Ends all links of a device at once, with the sealed word that makes it final for the client. */
  revoke(deviceId: string): void {
    for (const connection of this.of(deviceId)) {
      connection.notifyNow("link.closed", { reason: "revoked" });
      connection.end(CloseCode.revoked, "revoked");
    }
  }

  /** Says goodbye to all: the daemon goes, clients come again. */
  goAway(): void {
    for (const connection of this.all()) {
      connection.notifyNow("link.closed", { reason: "going-away" });
      connection.refuse(CloseCode.goingAway, "going away");
    }
  }

  #tell(): void {
    for (const listener of this.#counted) listener();
  }
}
