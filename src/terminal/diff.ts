/**
 * The difference between two texts of lines as one cut: from a place on, the
 * text is another. Found by line, then by character in the first line that
 * differs; never inside a surrogate pair.
 */
export interface TextCut {
  /** Where the texts part, in UTF-16 units. */
  readonly start: number;
  /** What the new text has from there on. */
  readonly text: string;
}

/**
 * How to make `next` of `last`, both lines joined by line breaks; undefined
 * when they are equal. The first `same` lines are known to be equal.
 */
export function diffLines(last: readonly string[], next: readonly string[], same = 0): TextCut | undefined {
  const shorter = Math.min(last.length, next.length);
  let index = Math.min(same, shorter);
  while (index < shorter && last[index] === next[index]) {
    index++;
  }
  if (index === last.length && index === next.length) {
    return undefined;
  }
  const start = offsetOf(next, index);
  if (index === shorter) {
    // One text goes on where the other ends: the difference begins at the line break, if there is one.
    const lineBreak = index > 0 ? 1 : 0;
    const text = next.slice(index).join("\n");
    return cut(start - lineBreak, next.length > index && lineBreak > 0 ? `\n${text}` : text, last);
  }
  const line = next[index] ?? "";
  const common = commonPrefix(last[index] ?? "", line);
  const rest = next.slice(index);
  rest[0] = line.slice(common);
  return { start: start + common, text: rest.join("\n") };
}

/** No cut at all if the old text ends there too: an empty text of no lines equals one of an empty line. */
function cut(start: number, text: string, last: readonly string[]): TextCut | undefined {
  return text === "" && start === Math.max(0, offsetOf(last, last.length) - 1) ? undefined : { start, text };
}

/** Where a line begins. */
function offsetOf(lines: readonly string[], index: number): number {
  let offset = 0;
  for (let line = 0; line < index; line++) {
    offset += (lines[line]?.length ?? 0) + 1;
  }
  return offset;
}

/** Units that both begin with, one fewer if the last of them is the first half of a pair. */
function commonPrefix(last: string, next: string): number {
  const shorter = Math.min(last.length, next.length);
  let length = 0;
  while (length < shorter && last.charCodeAt(length) === next.charCodeAt(length)) {
    length++;
  }
  return length > 0 && isHighSurrogate(next.charCodeAt(length - 1)) ? length - 1 : length;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
