/**
 * What Claude says and does, as a chat's events: the same for the program's live
 * messages and for the lines of its log, with the same keys, so that neither is
 * shown twice.
 */

import { countLines } from "../../calls.js";
import type { DriverEvent, ImageData } from "../../driver.js";
import { MAX_OPEN_CALLS } from "./limits.js";
import type { ContentBlock, SdkMessage } from "./sdk.js";
import { exitCodeOf, patchOf, recordOf, shownPath, Todos, toolTitle } from "./tools.js";

type Emit = (event: DriverEvent) => void;

interface Call {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** Where a message belongs: to the chat, or to the subagent that a call runs. */
export interface Place {
  readonly at: number;
  readonly parent?: string | undefined;
}

export class Content {
  readonly #cwd: string;
  readonly #emit: Emit;
  readonly #calls = new Map<string, Call>();
  /** Blocks that came of each message so far: the next one's number. */
  readonly #blocks = new Map<string, number>();
  readonly #todos = new Todos();

  constructor(cwd: string, emit: Emit) {
    this.#cwd = cwd;
    this.#emit = emit;
  }

  /** The key of the next block of a message, which a stream counts as it does. */
  key(messageId: string, block: number): string {
    return `${messageId}:${block}`;
  }

  /** One whole assistant message; programs send one block in each. */
  assistant(message: SdkMessage, place: Place): void {
    const id = message.message?.id ?? message.uuid ?? "";
    for (const block of blocksOf(message)) {
      const number = this.#blocks.get(id) ?? 0;
      this.#blocks.set(id, number + 1);
      this.#block(block, this.key(id, number), place);
    }
    forgetOldest(this.#blocks);
  }

  /** The results of tools in a user message; true when it had any. */
  results(message: SdkMessage, place: Place): boolean {
    const results = blocksOf(message).filter((block) => block.type === "tool_result");
    for (const block of results) this.#result(block, message, place);
    return results.length > 0;
  }

  #block(block: ContentBlock, key: string, place: Place): void {
    if (block.type === "text" || block.type === "thinking") {
      this.#say(block.type, key, block.text ?? block.thinking ?? "", place);
    } else if (block.type === "tool_use" && block.id !== undefined) {
      this.#call(block.id, block.name ?? "tool", recordOf(block.input), place);
    } else if (block.type !== "redacted_thinking") {
      const text = JSON.stringify(block);
      this.#emit({ type: "item", item: { kind: "unknown", key, at: place.at, type: block.type, text } });
    }
  }

  #say(kind: "text" | "thinking", key: string, text: string, { at, parent }: Place): void {
    if (text === "") return;
    if (parent === undefined) this.#emit({ type: "text", kind, key, text, streaming: false, at });
    else this.#emit({ type: "agent-item", parent, item: { kind, key, at, text } });
  }

  #call(toolUseId: string, name: string, input: Record<string, unknown>, { at, parent }: Place): void {
    this.#calls.set(toolUseId, { name, input });
    forgetOldest(this.#calls);
    this.#emit({
      type: "tool",
      show: true,
      call: { toolUseId, name, title: toolTitle(name, input), input, state: "running", startedAt: at },
      ...(parent === undefined ? {} : { parent }),
    });
  }

  #result(block: ContentBlock, message: SdkMessage, { at }: Place): void {
    const toolUseId = block.tool_use_id;
    if (toolUseId === undefined) return;
    const call = this.#calls.get(toolUseId);
    this.#calls.delete(toolUseId);
    const result = resultOf(block.content);
    const structured = message.tool_use_result ?? message.toolUseResult;
    const failed = block.is_error === true;
    const exitCode = exitCodeOf(call?.name ?? "", result.text, failed);
    const background = recordOf(structured).backgroundTaskId !== undefined;
    const patch = patchOf(structured);
    this.#emit({
      type: "tool",
      show: false,
      call: {
        toolUseId,
        state: failed ? failureState(message, toolUseId, structured) : "done",
        endedAt: at,
        result,
        ...(exitCode === undefined || background ? {} : { exitCode }),
        ...(patch.length === 0 ? {} : { patch }),
      },
    });
    for (const file of patch) {
      this.#emit({ type: "file-changed", path: shownPath(file.path, this.#cwd), ...countLines(file.hunks) });
    }
    if (call !== undefined && !failed && this.#todos.apply(call.name, call.input, structured)) {
      this.#emit({ type: "panel", panel: { todos: this.#todos.list() } });
    }
  }
}

export function blocksOf(message: SdkMessage): readonly ContentBlock[] {
  const content = message.message?.content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? (content as ContentBlock[]) : [];
}

/** The texts of a message, as one. */
export const textOf = (message: SdkMessage): string =>
  blocksOf(message)
    .flatMap((block) => (block.type === "text" ? [block.text ?? ""] : []))
    .join("\n");

/** The images of blocks, in their order. */
export function imagesOf(blocks: readonly ContentBlock[]): ImageData[] {
  return blocks.flatMap((block) => {
    const { media_type: mediaType, data } = block.source ?? {};
    if (block.type !== "image" || mediaType === undefined || data === undefined) return [];
    return [{ mediaType, data: Buffer.from(data, "base64") }];
  });
}

/** A result's text and images. */
export function resultOf(content: unknown): { text: string; images: ImageData[] } {
  if (typeof content === "string") return { text: content, images: [] };
  const blocks = Array.isArray(content) ? (content as ContentBlock[]) : [];
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])).join("\n");
  return { text, images: imagesOf(blocks) };
}

/** Failed, turned down by a person or a rule, or cut off. */
function failureState(
  message: SdkMessage,
  toolUseId: string,
  structured: unknown,
): "error" | "denied" | "interrupted" {
  const metas = Array.isArray(message.tool_result_meta) ? message.tool_result_meta : [];
  const meta = recordOf(metas.find((entry) => recordOf(entry).id === toolUseId));
  const decision = recordOf(meta.permission_decision ?? message.permissionDecision).decision;
  if (decision === "reject" || meta.non_execution_kind === "user-rejected") return "denied";
  if (structured === "User rejected tool use") return "denied";
  return recordOf(structured).interrupted === true ? "interrupted" : "error";
}

function forgetOldest(map: Map<string, unknown>): void {
  for (const oldest of map.keys()) {
    if (map.size <= MAX_OPEN_CALLS) return;
    map.delete(oldest);
  }
}
