/** The lines of the at-most-once journal: begun, done, withdrawn (it had no effect), a device forgotten. */
import { z } from "zod";
import type { Journal } from "./journal.js";

export interface Begun {
  readonly deviceId: string;
  /** The request's UUID, lower case. */
  readonly key: string;
  readonly method: string;
  readonly hash: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly tabId: string | undefined;
  /** Absent: it was never finished. */
  done?: { readonly result: unknown };
}

const Ref = { device: z.string(), id: z.string() };

const LineSchema = z.discriminatedUnion("is", [
  z.object({
    is: z.literal("begun"),
    ...Ref,
    method: z.string(),
    hash: z.string(),
    at: z.number(),
    tabId: z.string().optional(),
  }),
  z.object({ is: z.literal("done"), ...Ref, result: z.unknown() }),
  z.object({ is: z.literal("withdrawn"), ...Ref }),
  z.object({ is: z.literal("forgotten"), device: z.string() }),
]);
type Line = z.input<typeof LineSchema>;

export function beginLine({ deviceId, key, method, hash, at, tabId }: Omit<Begun, "done">): string {
  const reserved = tabId === undefined ? {} : { tabId };
  return encode({ is: "begun", device: deviceId, id: key, method, hash, at, ...reserved });
}

export function doneLine(deviceId: string, key: string, result: unknown): string {
  return encode({ is: "done", device: deviceId, id: key, result });
}

export function withdrawLine(deviceId: string, key: string): string {
  return encode({ is: "withdrawn", device: deviceId, id: key });
}

export function forgetLine(deviceId: string): string {
  return encode({ is: "forgotten", device: deviceId });
}

/** What the lines leave standing, in the order in which it began; throws on a line that is none of ours. */
export function readJournal(journal: Pick<Journal, "path" | "lines">): Begun[] {
  const begun = new Map<string, Begun>();
  for (const [index, text] of journal.lines.entries()) {
    const line = decode(text);
    if (line === undefined) {
      throw new Error(`${journal.path} is damaged at line ${index + 1}; move it away to start without it`);
    }
    take(begun, line);
  }
  return [...begun.values()];
}

function take(begun: Map<string, Begun>, line: Line): void {
  if (line.is === "forgotten") {
    for (const [ref, { deviceId }] of begun) if (deviceId === line.device) begun.delete(ref);
    return;
  }
  const ref = `${line.device} ${line.id}`;
  if (line.is === "begun") {
    const { device: deviceId, id: key, method, hash, at, tabId } = line;
    begun.set(ref, { deviceId, key, method, hash, at, tabId });
  } else if (line.is === "withdrawn") {
    begun.delete(ref);
  } else {
    const one = begun.get(ref);
    if (one !== undefined) one.done = { result: line.result };
  }
}

function encode(line: Line): string {
  return JSON.stringify(line);
}

function decode(text: string): Line | undefined {
  try {
    return LineSchema.parse(JSON.parse(text));
  } catch {
    return undefined; // the caller names the line
  }
}
