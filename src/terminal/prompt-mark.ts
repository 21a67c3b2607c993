/** OSC 133, the marks that a shell draws around its prompts and commands. */

/** A: a prompt begins, B: the command line begins, C: the command runs, D: it ended. */
export interface PromptMark {
  kind: "A" | "B" | "C" | "D";
  /** Of D, where the shell says it. */
  exitCode?: number;
  /** The `key=value` fields. */
  params: Record<string, string>;
}

/** A mark has a handful of short fields; the rest of a longer one is not looked at. */
const MAX_MARK_CHARS = 4096;
const MAX_MARK_FIELDS = 32;

/** Reads what stands between `133;` and the terminator; undefined for other marks than A to D. */
export function parsePromptMark(data: string): PromptMark | undefined {
  const [kind = "", ...fields] = data.slice(0, MAX_MARK_CHARS).split(";", MAX_MARK_FIELDS);
  if (!isKind(kind)) {
    return undefined;
  }
  const mark: PromptMark = { kind, params: {} };
  for (const [index, field] of fields.entries()) {
    const equals = field.indexOf("=");
    if (equals > 0) {
      mark.params[field.slice(0, equals)] = field.slice(equals + 1);
    } else if (kind === "D" && index === 0 && /^\d{1,10}$/.test(field)) {
      mark.exitCode = Number(field);
    }
  }
  return mark;
}

function isKind(kind: string): kind is PromptMark["kind"] {
  return kind === "A" || kind === "B" || kind === "C" || kind === "D";
}
