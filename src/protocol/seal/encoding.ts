/** The texts that keys and ids are written in: base64url for links and records, base32 for ids. */

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** RFC 4648 base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Exactly `length` bytes in their one spelling, or undefined. */
export function fromBase64Url(text: string, length: number): Uint8Array | undefined {
  if (text.length !== Math.ceil((length * 4) / 3) || !/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(raw, (char) => char.charCodeAt(0));
  // the last letter may carry bits that no byte takes: one key, one spelling
  return toBase64Url(bytes) === text ? bytes : undefined;
}

/** RFC 4648 base32 in lower case without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32[(held >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + BASE32[(held << (5 - bits)) & 31];
}
