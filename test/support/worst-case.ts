/** Values that a schema allows and that are as large and as hostile as a program, a file or a person could make them. */
import { z } from "zod";

interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

export interface WorstOptions {
  /** UTF-16 units of a text that has no bound of its own. */
  readonly textChars: number;
  /** Entries of a list or a record. */
  readonly entries: number;
  /** What texts are made of. */
  readonly fill: string;
}

/** Each blows up in its own way: six-fold in JSON, two-fold, three bytes for one unit, half a character. */
export const FILLS = {
  "control characters": "\u001b",
  "quotes and backslashes": '"\\',
  newlines: "\n",
  "wide characters": "漢",
  "characters of two units": "😀",
  "lone surrogates": "\ud83d",
  "colour escapes": "\u001b[38;2;1;2;3mx\u001b[0m",
} as const;

/** Entries of all lists and records together. */
const MAX_TOTAL_ENTRIES = 10_000;

/** UTF-16 units of all texts together: several frames, and not a minute of test. */
const MAX_TOTAL_CHARS = 1_600_000;

export function worstCase(schema: z.ZodType, options: WorstOptions): unknown {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  return build(json, options, {
    depth: 0,
    n: 0,
    left: { chars: MAX_TOTAL_CHARS, entries: MAX_TOTAL_ENTRIES },
  });
}

interface Place {
  readonly depth: number;
  /** Which entry of its list this is: alternatives take turns, ids differ. */
  readonly n: number;
  /** What texts and lists may still take; past it texts are short and lists have one entry. */
  readonly left: { chars: number; entries: number };
}

function build(schema: JsonSchema, options: WorstOptions, place: Place): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[place.n % schema.enum.length];
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) {
    const picked = alternatives[place.n % alternatives.length];
    return picked === undefined ? null : build(picked, options, place);
  }
  switch (schema.type) {
    case "string":
      return text(schema, options, place);
    case "integer":
      return Math.min(schema.maximum ?? 1e9, Math.max(schema.minimum ?? 0, 1e9));
    case "number":
      return 1_764_550_000_000.125;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return listOf(schema.items ?? {}, options, place);
    case "object":
      return objectOf(schema, options, place);
    default:
      return options.fill.repeat(10);
  }
}

/** Lists in lists get shorter, or the value would have no bound. */
function entriesAt(options: WorstOptions, { depth, left }: Place): number {
  const wanted = Math.max(1, Math.floor(options.entries / 8 ** Math.floor(depth / 3)));
  const count = left.entries >= wanted ? wanted : 1;
  left.entries -= count;
  return count;
}

function listOf(items: JsonSchema, options: WorstOptions, place: Place): unknown[] {
  const count = entriesAt(options, place);
  return Array.from({ length: count }, (_, n) =>
    build(items, options, { ...place, depth: place.depth + 1, n }),
  );
}

/** Ids and words that this device chooses itself: never long. */
const OWN_WORDS =
  /^(id|key|hash|type|level|ext|mediaType|effort|permissionMode|model|version|agent|from|to|state)$|(Id|Key)$/;
const MAX_OWN_WORD_CHARS = 64;

/** A path or a ref is as long as the system lets it be. */
const PATHS = /^(path|oldPath|cwd|branch|upstream)$/;
const MAX_PATH_CHARS = 4096;

function boundOf(name: string, options: WorstOptions): WorstOptions {
  const most = OWN_WORDS.test(name) ? MAX_OWN_WORD_CHARS : PATHS.test(name) ? MAX_PATH_CHARS : undefined;
  return most === undefined ? options : { ...options, textChars: Math.min(options.textChars, most) };
}

function objectOf(schema: JsonSchema, options: WorstOptions, place: Place): Record<string, unknown> {
  const built: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    built[name] = build(property, boundOf(name, options), { ...place, depth: place.depth + 1 });
  }
  const extra = schema.additionalProperties;
  if (typeof extra === "object" && Object.keys(extra).length > 0 && schema.properties === undefined) {
    const count = entriesAt(options, place);
    for (let n = 0; n < count; n++)
      built[`id-${n}`] = build(extra, options, { ...place, depth: place.depth + 1, n });
  }
  return built;
}

function text(schema: JsonSchema, options: WorstOptions, place: Place): string {
  if (schema.pattern !== undefined) return "0".repeat(40);
  if (schema.maxLength === 1) return "M"; // a letter of git's
  const wanted = Math.min(schema.maxLength ?? options.textChars, options.textChars);
  const chars = place.left.chars > wanted ? wanted : Math.min(wanted, 12);
  place.left.chars -= chars;
  const filled = options.fill.repeat(Math.ceil(chars / options.fill.length)).slice(0, chars);
  return filled.length > 8 && schema.maxLength === undefined ? `${place.n}${filled}` : filled;
}
