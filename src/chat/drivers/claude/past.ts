/**
 * A past chat from Claude Code's own log: the last MAX_PAST_BYTES of it as a
 * chat's events. The log is a tree by parentUuid; what a rewound conversation
 * left behind is not shown. Subagents have logs of their own beside it.
 */
import { stat } from "node:fs/promises";
import path from "node:path";
import type { PastChat, PastEvent } from "../../driver.js";
import { viewImage } from "../../images.js";
import { MAX_PAST_BYTES, MAX_PAST_ITEMS, MAX_PAST_TEXT_CHARS } from "../../limits.js";
import { clip } from "../../text.js";
import { blocksOf, Content, imagesOf, textOf } from "./content.js";
import { apiFailure } from "./failures.js";
import { type Line, linesOf } from "./lines.js";
import { timeOf } from "./messages.js";
import type { ContentBlock, SdkMessage } from "./sdk.js";
import { recordOf } from "./tools.js";

/** A line of the log; all fields as they happen to be. */
export type LogRecord = SdkMessage & { readonly parentUuid?: string | null; readonly isSidechain?: boolean };

/** Kinds that hold nothing for a reader. */
const SILENT: ReadonlySet<string> = new Set([
  "queue-operation",
  "last-prompt",
  "cost-state",
  "tools-used",
  "atis-latch",
  "api-request",
  "api-request-shape",
  "api-request-blob",
  "file-history-snapshot",
  "progress",
  "summary",
  "tag",
  "mode",
  "pr-link",
  "agent-name",
  "permission-mode",
]);

/** What one line may weigh in memory at most: longer results are clipped there. */
const MAX_LINE_WEIGHT = 16 * 1024;

/** Subagents whose own logs are read, the latest, and how much of each. */
const MAX_SUBAGENTS = 50;
const SUBAGENT_BYTES = 512 * 1024;

const UNKNOWN_CHARS = 500;

export function parseRecord(line: Line): LogRecord | undefined {
  try {
    const value: unknown = JSON.parse(line.bytes.toString());
    return typeof value === "object" && value !== null && "type" in value ? (value as LogRecord) : undefined;
  } catch {
    return undefined; // a line that a crash tore
  }
}

/** A silent line tells its kind first, and need not be parsed. */
function isSilent({ bytes }: Line): boolean {
  const kind = /^\{"type":"([^"]+)"/.exec(bytes.toString("latin1", 0, 60))?.[1];
  return kind !== undefined && SILENT.has(kind);
}

/** `from`: where an earlier reading ended; the last part of the log otherwise. */
export async function readPast(file: string, cwd: string, from?: number): Promise<PastChat> {
  const { size } = await stat(file);
  const earliest = Math.max(0, size - MAX_PAST_BYTES);
  const start = Math.max(earliest, Math.min(from ?? earliest, size));
  const plan = await planOf(file, start, size);
  return {
    events: eventsOf(file, { cwd, size, ...plan }),
    skippedBytes: from === undefined ? plan.start : 0,
    cursor: size,
    ...(plan.title === undefined ? {} : { title: plan.title }),
  };
}

interface Plan {
  start: number;
  /** Lines of branches that were rewound, by offset. */
  dropped: ReadonlySet<number>;
  title: string | undefined;
}

/** A first pass that keeps only where lines are: how many of the last ones are shown, and which branches go. */
async function planOf(file: string, start: number, size: number): Promise<Plan> {
  const branches = new Branches();
  const kept: { offset: number; weight: number }[] = [];
  let title: string | undefined;
  for await (const line of linesOf(file, start, size)) {
    if (isSilent(line)) continue;
    title = titleIn(line) ?? title;
    branches.add(line);
    kept.push({ offset: line.offset, weight: Math.min(line.bytes.length, MAX_LINE_WEIGHT) });
  }
  let weight = 0;
  let first = kept.length;
  while (first > 0 && kept.length - first < MAX_PAST_ITEMS) {
    weight += kept[first - 1]?.weight ?? 0;
    if (weight > MAX_PAST_TEXT_CHARS) break;
    first -= 1;
  }
  return { start: first === 0 ? start : (kept[first]?.offset ?? size), dropped: branches.dropped, title };
}

/** A person's title beats the program's own. */
function titleIn({ bytes }: Line): string | undefined {
  if (bytes.length > 4096 || !/"type":"(custom|ai)-title"/.test(bytes.toString("latin1"))) return undefined;
  const record = recordOf(parseRecord({ offset: 0, bytes }));
  const title = record.customTitle ?? record.aiTitle;
  return typeof title === "string" ? title : undefined;
}

/** Follows who hangs on whom: a new prompt on an old message leaves all between behind. */
class Branches {
  readonly dropped = new Set<number>();
  readonly #places = new Map<string, number>();
  readonly #lines: { offset: number; prompt: boolean }[] = [];

  add(line: Line): void {
    const start = line.bytes.toString("latin1", 0, 80);
    const parent = /^\{"parentUuid":"([^"]+)"/.exec(start)?.[1];
    const prompt = parent !== undefined && isPrompt(line);
    const place = parent === undefined ? undefined : this.#places.get(parent);
    if (prompt && place !== undefined) this.#rewind(place);
    const uuid = uuidOf(line);
    if (uuid === undefined) return;
    this.#places.set(uuid, this.#lines.length);
    this.#lines.push({ offset: line.offset, prompt });
  }

  #rewind(place: number): void {
    const after = this.#lines.slice(place + 1);
    if (!after.some(({ prompt }) => prompt)) return;
    for (const { offset } of after) this.dropped.add(offset);
    this.#lines.length = place + 1;
  }
}

function uuidOf({ bytes }: Line): string | undefined {
  const at = bytes.lastIndexOf('"uuid":"');
  return at === -1 ? undefined : bytes.toString("latin1", at + 8, at + 44);
}

/** Something that a person wrote. */
function isPrompt({ bytes }: Line): boolean {
  return (
    bytes.includes('"type":"user"') &&
    !bytes.includes('"toolUseResult"') &&
    !bytes.includes('"tool_result"') &&
    !bytes.includes('"isSidechain":true') &&
    !bytes.includes('"isMeta":true')
  );
}

async function* eventsOf(file: string, o: { cwd: string; size: number } & Plan): AsyncGenerator<PastEvent> {
  const reader = new PastReader(o.cwd);
  for await (const line of linesOf(file, o.start, o.size)) {
    if (o.dropped.has(line.offset) || isSilent(line)) continue;
    const record = parseRecord(line);
    if (record !== undefined) yield* reader.read(record, line.offset);
  }
  for (const [agentId, parent] of [...reader.agents].slice(-MAX_SUBAGENTS)) {
    yield* subagentEvents(file, { agentId, parent, cwd: o.cwd });
  }
}

async function* subagentEvents(
  file: string,
  o: { agentId: string; parent: string; cwd: string },
): AsyncGenerator<PastEvent> {
  if (!/^[A-Za-z0-9_-]+$/.test(o.agentId)) return;
  const log = path.join(file.replace(/\.jsonl$/, ""), "subagents", `agent-${o.agentId}.jsonl`);
  const size = await stat(log).then(
    (found) => found.size,
    () => undefined, // older programs keep none
  );
  if (size === undefined) return;
  const reader = new PastReader(o.cwd, o.parent);
  for await (const line of linesOf(log, Math.max(0, size - SUBAGENT_BYTES), size)) {
    const record = isSilent(line) ? undefined : parseRecord(line);
    if (record?.type === "assistant" || record?.type === "user") yield* reader.read(record, line.offset);
  }
}

/** Turns one record after the other into events. */
class PastReader {
  /** Subagents by their id: the call that ran each. */
  readonly agents = new Map<string, string>();
  readonly #content: Content;
  readonly #parent: string | undefined;
  #events: PastEvent[] = [];

  constructor(cwd: string, parent?: string) {
    this.#parent = parent;
    this.#content = new Content(cwd, (event) => this.#events.push(event as PastEvent));
  }

  read(record: LogRecord, offset: number): PastEvent[] {
    this.#events = [];
    const at = timeOf(record, () => 0);
    if (record.isSidechain !== true || this.#parent !== undefined) this.#read(record, at, offset);
    return this.#events;
  }

  #read(record: LogRecord, at: number, offset: number): void {
    const key = record.uuid ?? `line-${offset}`;
    switch (record.type) {
      case "assistant":
        this.#assistant(record, key, at);
        break;
      case "user":
        this.#user(record, key, at);
        break;
      case "attachment":
        this.#attachment(recordOf(record.attachment), at);
        break;
      case "system":
        this.#system(record, key, at);
        break;
      case "custom-title":
      case "ai-title":
        break;
      default:
        if (SILENT.has(record.type)) break;
        this.#events.push({
          type: "item",
          item: {
            kind: "unknown",
            key,
            at,
            type: record.type,
            text: clip(JSON.stringify(record), UNKNOWN_CHARS),
          },
        });
    }
  }

  #assistant(record: LogRecord, key: string, at: number): void {
    if (record.isApiErrorMessage !== true) {
      this.#content.assistant(record, { at, parent: this.#parent });
      return;
    }
    const status = typeof record.apiErrorStatus === "number" ? record.apiErrorStatus : undefined;
    const error = typeof record.error === "string" ? record.error : undefined;
    const { message } = apiFailure({ status, error, text: textOf(record) });
    this.#events.push({ type: "item", item: { kind: "notice", key, at, level: "error", text: message } });
  }

  #user(record: LogRecord, key: string, at: number): void {
    if (this.#content.results(record, { at, parent: this.#parent })) {
      this.#noteAgent(record);
      return;
    }
    if (record.isMeta === true || this.#parent !== undefined) return;
    const blocks = blocksOf(record);
    const text = textOf(record);
    if (record.isCompactSummary === true) {
      this.#events.push({ type: "item", item: { kind: "compacted", key, at, summary: text } });
    } else {
      this.#said(blocks, text, { key, at });
    }
  }

  #said(blocks: readonly ContentBlock[], text: string, o: { key: string; at: number }): void {
    if (text.startsWith("[Request interrupted")) {
      this.#notice("Interrupted", o);
      return;
    }
    const output = /^<local-command-std(?:out|err)>([\s\S]*?)<\/local-command-std/.exec(text)?.[1];
    if (output !== undefined) {
      if (output.trim() !== "") this.#notice(output, o);
      return;
    }
    if (text.startsWith("<task-notification>")) {
      this.#notice("A background task ended and Claude went on by itself", o);
      return;
    }
    const command = /<command-name>(.*?)<\/command-name>/s.exec(text)?.[1];
    const args = /<command-args>(.*?)<\/command-args>/s.exec(text)?.[1] ?? "";
    const images = imagesOf(blocks).map(({ mediaType, data }) => viewImage(mediaType, data));
    const shown = command === undefined ? text : `${command} ${args}`.trim();
    if (shown === "" && images.length === 0) return;
    this.#events.push({ type: "item", item: { kind: "user", ...o, text: shown, images, state: "sent" } });
  }

  #notice(text: string, o: { key: string; at: number }): void {
    this.#events.push({ type: "item", item: { kind: "notice", ...o, level: "info", text } });
  }

  /** What was sent while a turn ran. */
  #attachment(attachment: Record<string, unknown>, at: number): void {
    const { type, prompt, source_uuid: key } = attachment;
    if (type !== "queued_command" || typeof key !== "string") return;
    const blocks =
      typeof prompt === "string" ? [{ type: "text", text: prompt }] : Array.isArray(prompt) ? prompt : [];
    const record = { type: "user", message: { content: blocks as ContentBlock[] } };
    this.#said(blocksOf(record), textOf(record), { key, at });
  }

  #system(record: LogRecord, key: string, at: number): void {
    if (record.subtype === "compact_boundary") {
      this.#events.push({ type: "item", item: { kind: "compacted", key, at } });
    } else if (record.subtype === "local_command" && typeof record.content === "string") {
      this.#said([], record.content, { key, at });
    }
  }

  #noteAgent(record: LogRecord): void {
    const { agentId } = recordOf(record.toolUseResult);
    const toolUseId = blocksOf(record).find((block) => block.type === "tool_result")?.tool_use_id;
    if (typeof agentId === "string" && toolUseId !== undefined) this.agents.set(agentId, toolUseId);
  }
}

/** The last line that has all of `words`, within what is shown of a log. */
export async function findLine(file: string, words: readonly string[]): Promise<LogRecord | undefined> {
  const { size } = await stat(file);
  let found: Line | undefined;
  for await (const line of linesOf(file, Math.max(0, size - MAX_PAST_BYTES), size)) {
    if (words.every((word) => line.bytes.includes(word))) found = { ...line, bytes: Buffer.from(line.bytes) };
  }
  return found === undefined ? undefined : parseRecord(found);
}
