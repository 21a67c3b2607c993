/** A question to the owner as it shows among a chat's requests. */
import { printable } from "../protocol/printable.js";
import type { PermissionRequest } from "../protocol/view.js";
import type { Consent } from "./consents.js";
import { CONSENT_SHOWN_BYTES } from "./limits.js";

/** Most UTF-16 units of a consent's text on a card; the rest shows when it is opened. */
const SHOWN_CHARS = CONSENT_SHOWN_BYTES;

/** A consent as a card of its chat. Hidden characters are visible in it. */
export function consentRequest(consent: Consent): PermissionRequest {
  const { id, class: kind, title, text, at, expiresAt, long, from } = consent;
  const shown = printable(text.slice(0, SHOWN_CHARS), { lines: true });
  const more = long ? `\n… ${Buffer.byteLength(text)} bytes; open it whole before you allow it` : "";
  return {
    requestId: id,
    kind: "consent",
    // The card opens the whole text as it opens a tool call.
    toolUseId: id,
    toolName: consent.method,
    title,
    ...(text === "" ? {} : { detail: shown + more }),
    input: {},
    suggestions: kind === "message" ? [{ label: "Always allow messages of this device here" }] : [],
    at,
    expiresAt,
    ...(from.name === undefined ? {} : { agent: printable(from.name) }),
  };
}
