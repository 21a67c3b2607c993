/**
 * A stand-in for Anthropic's Messages API on loopback. What it answers is chosen
 * by the last [[scene]] or [[scene:argument]] tag in the conversation's user
 * texts; a scene is asked again after each tool result, with the step it is at.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Reply, type ReplyBlock, SCENES, type Scene } from "./scenes.js";

interface Content {
  type: string;
  text?: string;
  content?: unknown;
  source?: { media_type: string; data: string };
}

interface ApiMessage {
  role: string;
  content: string | Content[];
}

export interface ApiRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: ApiMessage[];
  readonly tools?: { name: string }[];
  readonly system?: unknown;
  readonly output_config?: { effort?: string; format?: unknown };
}

export interface SeenRequest {
  readonly path: string;
  readonly body: ApiRequest;
  readonly apiKey: string | undefined;
  readonly scene: string;
  /** When the last byte of the answer was handed to the socket, by performance.now(). */
  endedAt?: number;
}

export interface FakeAnthropic {
  readonly url: string;
  readonly requests: SeenRequest[];
  /** Adds scenes of a test's own. */
  scene(name: string, scene: Scene): void;
  close(): Promise<void>;
}

export async function startFakeAnthropic(): Promise<FakeAnthropic> {
  const scenes = new Map<string, Scene>(Object.entries(SCENES));
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    answer({ scenes, requests }, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    scene: (name, scene) => void scenes.set(name, scene),
    close: () => closeServer(server),
  };
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

type Fake = { scenes: Map<string, Scene>; requests: SeenRequest[] };

async function answer(fake: Fake, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks).toString();
  const path = (request.url ?? "").split("?")[0] ?? "";
  if (path === "/v1/messages/count_tokens") {
    json(response, 200, { input_tokens: Math.ceil(raw.length / 4) });
    return;
  }
  if (path !== "/v1/messages") {
    json(response, 404, { type: "error", error: { type: "not_found_error", message: `no ${path} here` } });
    return;
  }
  const body = JSON.parse(raw) as ApiRequest;
  const picked = pick(fake.scenes, body);
  const key = request.headers["x-api-key"];
  const seen: SeenRequest = {
    path,
    body,
    apiKey: typeof key === "string" ? key : undefined,
    scene: picked.name,
  };
  fake.requests.push(seen);
  const reply = sideReply(body) ?? picked.scene({ step: picked.step, arg: picked.arg, body });
  if ("status" in reply) {
    json(response, reply.status, { type: "error", error: reply.error });
    return;
  }
  await speak(response, body, reply, () => {
    seen.endedAt = performance.now();
  });
}

/** What the program asks on its own account: a summary for a compaction, a title, other side questions. */
function sideReply(body: ApiRequest): Reply | undefined {
  const asked = textOf(body.messages?.at(-1)?.content);
  if (/detailed summary of (this|the) conversation|summary of the conversation so far/i.test(asked)) {
    return [{ text: "<analysis>All of it.</analysis><summary>They said hello.</summary>" }];
  }
  if ((body.tools ?? []).length > 0) return undefined;
  if (body.output_config?.format !== undefined)
    return [{ text: JSON.stringify({ title: "A made up title" }) }];
  const last = body.messages?.at(-1);
  return last !== undefined && /\[\[/.test(textOf(last.content)) ? undefined : [{ text: "A side answer." }];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as Content[]).map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("\n");
}

/** What the user wrote while tools ran lies inside the tools' results. */
function userText(content: ApiMessage["content"]): string {
  if (typeof content === "string") return content;
  const midTurn = content
    .filter((block) => block.type === "tool_result")
    .map((block) => textOf(block.content))
    .filter((text) => text.includes("while you were working"));
  return [textOf(content), ...midTurn].join("\n");
}

const isToolResult = (message: ApiMessage): boolean =>
  Array.isArray(message.content) && message.content.some((block) => block.type === "tool_result");

function pick(scenes: Map<string, Scene>, body: ApiRequest) {
  let found = { name: "none", arg: "", at: -1 };
  const messages = body.messages ?? [];
  messages.forEach((message, at) => {
    if (message.role !== "user") return;
    for (const tag of userText(message.content).matchAll(/\[\[(\w+)(?::([^\]]*))?\]\]/g)) {
      if (scenes.has(tag[1] ?? "")) found = { name: tag[1] ?? "", arg: tag[2] ?? "", at };
    }
  });
  const step = messages
    .slice(found.at + 1)
    .filter((message) => message.role === "user" && isToolResult(message)).length;
  const scene = scenes.get(found.name) ?? (() => [{ text: "No scene was asked for." }]);
  return { ...found, step, scene };
}

function json(response: ServerResponse, status: number, value: unknown): void {
  const retry = status === 429 ? { "retry-after": "1" } : {};
  response.writeHead(status, { "content-type": "application/json", ...retry });
  response.end(JSON.stringify(value));
}

let serial = 0;
const newId = (prefix: string): string => `${prefix}_${String(++serial).padStart(20, "0")}`;

const USAGE = {
  input_tokens: 100,
  output_tokens: 20,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** The answer as Anthropic's server-sent events, or whole when no stream was asked for. */
async function speak(
  response: ServerResponse,
  body: ApiRequest,
  reply: ReplyBlock[],
  ended: () => void,
): Promise<void> {
  const blocks = reply.map(toBlock);
  const stopReason = blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
  const message = { id: newId("msg"), type: "message", role: "assistant", model: body.model, usage: USAGE };
  if (body.stream !== true) {
    json(response, 200, { ...message, content: blocks, stop_reason: stopReason, stop_sequence: null });
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  let open = true;
  response.on("close", () => {
    open = false;
  });
  const event = (type: string, data: object): void => {
    if (open) response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  event("message_start", { message: { ...message, content: [], stop_reason: null, stop_sequence: null } });
  for (const [index, block] of blocks.entries()) {
    const source = reply[index];
    event("content_block_start", { index, content_block: startOf(block) });
    for (const delta of deltasOf(block, source)) {
      if (source?.cutAt !== undefined && delta.text?.startsWith(source.cutAt)) {
        response.destroy();
        return;
      }
      event("content_block_delta", { index, delta });
      if (source?.slowMs !== undefined) await new Promise((resolve) => setTimeout(resolve, source.slowMs));
      if (!open) return;
    }
    event("content_block_stop", { index });
  }
  event("message_delta", {
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { output_tokens: 20 },
  });
  event("message_stop", {});
  ended();
  response.end();
}

type Block =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "tool_use"; id: string; name: string; input: unknown };

function toBlock(block: ReplyBlock): Block {
  if (block.text !== undefined) return { type: "text", text: block.text };
  if (block.thinking !== undefined) return { type: "thinking", thinking: block.thinking, signature: "c2ln" };
  return { type: "tool_use", id: newId("toolu"), name: block.tool ?? "", input: block.input ?? {} };
}

function startOf(block: Block): object {
  if (block.type === "text") return { type: "text", text: "" };
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { ...block, input: {} };
}

interface Delta {
  type: string;
  text?: string;
  [field: string]: unknown;
}

/** Characters of a tool's input that come in one event. */
const INPUT_PIECE_CHARS = 40;

function* deltasOf(block: Block, source: ReplyBlock | undefined): Generator<Delta> {
  if (block.type === "text") {
    const words = block.text.match(/\S+\s*/g) ?? [];
    const batch = source?.batch ?? 1;
    for (let at = 0; at < words.length; at += batch) {
      yield { type: "text_delta", text: words.slice(at, at + batch).join("") };
    }
  } else if (block.type === "thinking") {
    yield { type: "thinking_delta", thinking: block.thinking };
    yield { type: "signature_delta", signature: block.signature };
  } else {
    const text = JSON.stringify(block.input);
    for (let at = 0; at < text.length; at += INPUT_PIECE_CHARS) {
      yield { type: "input_json_delta", partial_json: text.slice(at, at + INPUT_PIECE_CHARS) };
    }
  }
}
