/** How a client stands, for a page or a prompt to show. */
import type { LinkReady } from "../protocol/link.js";

export type ClientState =
  | { readonly state: "connecting"; readonly reason: string }
  /** `ready` is what the server said of itself; a local socket says nothing. */
  | { readonly state: "ready"; readonly reason: string; readonly ready: LinkReady | undefined }
  /** It will be tried again by itself, at `retryAt` in Unix milliseconds. */
  | { readonly state: "offline"; readonly reason: string; readonly retryAt: number }
  /** The owner is to type `code`. */
  | { readonly state: "pairing"; readonly reason: string; readonly code: string }
  /** For good. "revoked" only when the server said so inside the sealed link. */
  | { readonly state: "closed"; readonly reason: string };
