/**
 * nexus mcp: the verbs that one agent has for others, as a Model Context
 * Protocol server on standard input and output, for agents without a shell.
 * What it sends is the tab's it runs in, within the owner's limits.
 */
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Command } from "commander";
import { z } from "zod";
import { refusalOf } from "../../protocol/refusal.js";
import { MAX_WAIT_MS } from "../../protocol/rpc.js";
import { VERSION } from "../../server/version.js";
import { type Session, withClient } from "../connect.js";
import { readEnv } from "../env.js";
import { CommandFailure, ExitCode, sentenceOf } from "../exit.js";
import { MAX_MESSAGE_CHARS } from "../limits.js";
import { findTab, findWorkspace } from "../names.js";
import { itemText } from "./chat-text.js";
import { refOf } from "./chat-verbs.js";

export function registerMcp(program: Command): void {
  program
    .command("mcp")
    .description("serve chats to an agent without a shell, as an MCP server on standard input and output")
    .action(mcp);
}

async function mcp(): Promise<void> {
  if (readEnv().tab === undefined) {
    throw new CommandFailure(
      ExitCode.forbidden,
      "nexus mcp speaks for the agent of a tab; it runs in a tab of nexusd",
    );
  }
  const { server, transport } = await load();
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve;
    process.stdin.once("end", resolve);
  });
  addTools(server);
  await server.connect(transport);
  await ended;
  await server.close();
}

async function load() {
  try {
    const [{ McpServer }, { StdioServerTransport }] = await Promise.all([
      import("@modelcontextprotocol/sdk/server/mcp.js"),
      import("@modelcontextprotocol/sdk/server/stdio.js"),
    ]);
    const server = new McpServer({ name: "nexus", version: VERSION });
    return { server, transport: new StdioServerTransport() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const why = "nexus mcp needs a package that is not installed: npm install @modelcontextprotocol/sdk";
    throw new CommandFailure(ExitCode.failed, why, { cause: error });
  }
}

const device = z
  .string()
  .optional()
  .describe("another machine's daemon by the name that its owner gave it here; this machine's without it");
const tab = z.string().describe("the chat: its id, its title, or WORKSPACE/TAB by their ids");

function addTools(server: McpServer): void {
  server.registerTool(
    "list_sessions",
    {
      description: "List the chats and terminals that can be seen, with their ids and states",
      inputSchema: { device },
    },
    (args) =>
      answer(args.device, async ({ client }) => {
        const { sessions } = await client.call("sessions.list", {});
        const lines = sessions.map(
          ({ workspaceId, tabId, kind, state, title }) =>
            `${workspaceId}/${tabId}  ${kind}  ${state}  ${title}`,
        );
        return lines.join("\n") || "There is none to see";
      }),
  );
  server.registerTool(
    "send_message",
    {
      description:
        "Send a message to the agent of a chat. It is told that you are an agent, not its user. Another machine's owner may be asked first, for up to 90 seconds",
      inputSchema: { device, tab, text: z.string().min(1).max(MAX_MESSAGE_CHARS) },
    },
    (args) =>
      answer(args.device, async (session) => {
        const ref = refOf(await chatOf(session, args.tab));
        const { at } = await session.client.call("chat.send", { ...ref, text: args.text });
        return at === undefined ? "Sent" : `Sent; wait_chat with after ${at} waits for the answer`;
      }),
  );
  server.registerTool(
    "new_chat",
    {
      description: "Open a chat with an agent and send it a first message",
      inputSchema: {
        device,
        workspace: z.string().optional().describe("its id or name; your own without it"),
        agent: z.enum(["claude", "codex"]),
        prompt: z.string().min(1).max(MAX_MESSAGE_CHARS),
      },
    },
    (args) => answer(args.device, (session) => newChat(session, args)),
  );
  addReading(server);
}

function addReading(server: McpServer): void {
  server.registerTool(
    "read_chat",
    {
      description: "Read the last items of a chat",
      inputSchema: { device, tab, limit: z.number().int().min(1).max(100).optional() },
    },
    (args) =>
      answer(args.device, async (session) => {
        const ref = refOf(await chatOf(session, args.tab));
        const page = await session.client.call("chat.read", { ...ref, limit: args.limit ?? 20 });
        return page.items
          .map((item) => itemText(item, page.tools))
          .filter(Boolean)
          .join("\n\n");
      }),
  );
  server.registerTool(
    "wait_chat",
    {
      description: "Wait until a chat's turn is over, at most the given seconds, and give what it said",
      inputSchema: {
        device,
        tab,
        after: z.number().optional().describe("what send_message gave"),
        seconds: z.number().int().min(1).max(600).optional(),
      },
    },
    (args) => answer(args.device, (session) => waitChat(session, args)),
  );
}

async function newChat(
  session: Session,
  args: { workspace?: string | undefined; agent: "claude" | "codex"; prompt: string },
): Promise<string> {
  const { agent, prompt } = args;
  const { workspaces } = await session.client.call("sessions.list", {});
  const own = session.over === "agent" ? readEnv().tab?.workspaceId : undefined;
  const known = workspaces.some(({ id, name, path }) => [id, name, path].includes(args.workspace ?? id));
  // Another daemon lists no workspace to an agent: the id as it was given is all there is.
  const workspaceId =
    args.workspace !== undefined && !known
      ? args.workspace
      : findWorkspace(workspaces, { text: args.workspace, own, folder: undefined }).id;
  const { tabId, error } = await session.client.call("chat.new", { workspaceId, agent, prompt });
  return error === undefined ? `Opened ${workspaceId}/${tabId}` : `Opened ${tabId}, but ${error}`;
}

async function waitChat(
  { client, ...session }: Session,
  args: { tab: string; after?: number | undefined; seconds?: number | undefined },
): Promise<string> {
  const ref = refOf(await chatOf({ client, ...session }, args.tab));
  const end = Date.now() + (args.seconds ?? 60) * 1000;
  for (;;) {
    const timeoutMs = Math.max(1, Math.min(MAX_WAIT_MS, end - Date.now()));
    const after = args.after === undefined ? {} : { after: args.after };
    const { done, state, message } = await client.call("chat.wait", { ...ref, ...after, timeoutMs });
    if (done || Date.now() >= end) return message === undefined ? state : `${state}: ${message}`;
  }
}

async function chatOf({ client }: Session, text: string) {
  const { sessions } = await client.call("sessions.list", {});
  return findTab(sessions, text, "chat");
}

interface Answer {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  isError?: boolean;
}

/** A refusal is an answer that the agent can act on, not a fault of the server's. */
async function answer(
  device: string | undefined,
  ask: (session: Session) => Promise<string>,
): Promise<Answer> {
  try {
    return { content: [{ type: "text", text: await withClient({ device }, ask) }] };
  } catch (error) {
    const why = refusalOf(error);
    const text = why === undefined ? sentenceOf(error) : `${sentenceOf(error)} (${why})`;
    return { content: [{ type: "text", text }], isError: true };
  }
}
