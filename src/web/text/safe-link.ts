/** Which addresses a link may have. Pure. */

const PROTOCOLS = ["http:", "https:", "mailto:"];

/** The address as a link may carry it; undefined for scripts, data, files and what is no address. */
export function safeHref(href: string): string | undefined {
  try {
    const url = new URL(href);
    return PROTOCOLS.includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined; // relative: there is nothing on this origin to lead to
  }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  hellip: "…",
  mdash: "—",
  ndash: "–",
};
const MAX_CODE_POINT = 0x10ffff;

/** Character references that Markdown allows in text, as the characters they mean; unknown ones stay. */
export function decodeReferences(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]+));/g,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole;
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return point > 0 && point <= MAX_CODE_POINT ? String.fromCodePoint(point) : whole;
    },
  );
}
