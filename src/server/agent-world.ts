/** What the agents' gate needs of the sessions: what a request is about, and a tab for what it would open. */
import type { Chats } from "../chat/chats.js";
import { type AgentInput, inputProblem, runsLines } from "../methods/terminal-agents.js";
import type { AgentMethod } from "../policy/agents.js";
import { isConsentId } from "../policy/consents.js";
import type { GateCall, GateWorld, Subject } from "../policy/gate.js";
import { forbidden, invalidParams, notFound, unavailable } from "../protocol/errors.js";
import type { RpcParams } from "../protocol/rpc.js";
import type { Profiles } from "../sessions/profiles.js";
import type { Sessions } from "../sessions/sessions.js";
import type { Tab, Tabs } from "../sessions/tabs.js";
import type { Workspaces } from "../sessions/workspaces.js";
import type { Terminals } from "../terminal/client.js";

export interface WorldDeps {
  readonly tabs: Tabs;
  readonly sessions: Sessions;
  readonly workspaces: Workspaces;
  readonly chats: Chats;
  readonly terminals: Terminals;
  readonly profiles: Profiles;
  /** Resolves a folder inside a workspace, or throws Forbidden. */
  folder(workspaceId: string, path: string): Promise<string>;
}

type Params = GateCall["params"];
type Looked = Pick<Subject, "wants" | "text"> & { readonly beyond?: boolean };

export class AgentWorld implements GateWorld {
  readonly #deps: WorldDeps;

  constructor(deps: WorldDeps) {
    this.#deps = deps;
  }

  async subject(method: AgentMethod, params: Params): Promise<Subject> {
    if (method === "chat.new" || method === "terminal.open") return this.#opening(method, params);
    const kind = method.startsWith("terminal.") ? "terminal" : "chat";
    const tab = this.#tab(kind, params);
    const looked =
      method === "terminal.input" ? await this.#typing(tab, params as AgentInput) : wordsOf(method, params);
    const { workspaceId, tabId, title } = tab;
    return { workspaceId, tabId, kind, title, beyond: false, ...looked };
  }

  async recheck(method: AgentMethod, params: Params, asked: Subject): Promise<void> {
    const now = await this.subject(method, params);
    // What was consented to typed nothing by itself; now it would.
    if (now.beyond && !asked.beyond) throw unavailable("The terminal changed meanwhile; ask again");
  }

  async openAhead(call: GateCall): Promise<void> {
    const { tabs, chats, sessions } = this.#deps;
    const openedBy = call.caller.deviceId;
    const tabId = call.newTabId;
    if (call.method === "terminal.open") {
      const { workspaceId, title } = call.params as RpcParams<"terminal.open">;
      const renamed = title === undefined ? {} : { renamed: true };
      await tabs.create({
        workspaceId,
        kind: "terminal",
        title: title ?? "Terminal",
        tabId,
        openedBy,
        ...renamed,
      });
      return;
    }
    const { workspaceId, agent, profile, folder = "" } = call.params as RpcParams<"chat.new">;
    const { chat } = await chats.new({
      workspaceId,
      agent,
      profile,
      tabId,
      folder: await this.#deps.folder(workspaceId, folder),
    });
    await tabs.create({
      tabId,
      workspaceId,
      kind: agent,
      title: chat.title,
      profile: chat.profile.id,
      openedBy,
    });
    sessions.chat(tabId, chat.state());
  }

  async closeAhead(tabId: string): Promise<void> {
    const { tabs, chats, terminals } = this.#deps;
    await chats.close(tabId);
    if (terminals.get(tabId) !== undefined) await terminals.close(tabId, { force: true });
    if (tabs.get(tabId) !== undefined) await tabs.close(tabId);
  }

  #tab(kind: Subject["kind"], { workspaceId, tabId }: Params): Tab {
    const { tabs, chats, terminals } = this.#deps;
    const tab = tabs.get(String(tabId));
    if (
      tab === undefined ||
      tab.workspaceId !== workspaceId ||
      (tab.kind === "terminal") !== (kind === "terminal")
    ) {
      throw notFound("tab");
    }
    const there = kind === "chat" ? chats.find(tab.tabId) : terminals.get(tab.tabId);
    if (there === undefined) throw unavailable("This session's program is gone and cannot be reached");
    return tab;
  }

  async #typing({ tabId }: Tab, input: AgentInput): Promise<Looked> {
    const { terminals, sessions } = this.#deps;
    const modes = await terminals.inputModes(tabId);
    const waiting = sessions.get(tabId)?.waiting;
    const asks = waiting !== undefined && !isConsentId(waiting.requestId ?? "");
    const problem = inputProblem(input, { modes, asks });
    if (problem !== undefined) throw problem;
    const lines = runsLines(input, modes);
    const keys = [...(input.keys ?? []), ...(input.enter === true ? ["enter"] : [])];
    const pressed = keys.length === 0 ? "" : `\n[keys: ${keys.join(" ")}]`;
    return {
      wants: lines > 0 ? `type text that will run ${lines} lines into` : "type into",
      text: `${input.text ?? ""}${pressed}`.replace(/^\n/, ""),
      beyond: lines > 0,
    };
  }

  async #opening(method: "chat.new" | "terminal.open", params: Params): Promise<Subject> {
    const { workspaces, profiles } = this.#deps;
    const workspace = workspaces.get(String(params.workspaceId));
    if (workspace === undefined) throw notFound("workspace");
    const place = { workspaceId: workspace.id, tabId: undefined, title: workspace.name, beyond: false };
    if (typeof params.folder === "string") await this.#deps.folder(workspace.id, params.folder);
    if (method === "terminal.open") {
      const { command, shell, folder, title } = params as RpcParams<"terminal.open">;
      const text = fieldsText({ command, shell, folder, title });
      return { ...place, kind: "terminal", wants: "open a terminal in", text };
    }
    const { agent, prompt, model, effort, permissionMode, profile, folder } = params as RpcParams<"chat.new">;
    if (permissionMode !== undefined) throw forbidden("An agent cannot choose the mode of a chat it opens");
    profiles.choose(agent, profile);
    const text = fieldsText({ prompt, model, effort, profile, folder });
    return { ...place, kind: "chat", wants: `open a chat with ${agent} in`, text };
  }
}

function wordsOf(method: AgentMethod, params: Params): Looked {
  switch (method) {
    case "chat.send": {
      const { text } = params as RpcParams<"chat.send">;
      if (text.trim() === "") throw invalidParams("A message needs a text");
      return { wants: "send a message to", text };
    }
    case "chat.interrupt":
      return { wants: "stop what runs in", text: "" };
    case "chat.configure": {
      const { model, effort, permissionMode } = params as RpcParams<"chat.configure">;
      return { wants: "change the settings of", text: fieldsText({ model, effort, permissionMode }) };
    }
    case "chat.answer":
    case "terminal.answer":
      return { wants: "answer a question of", text: fieldsText({ decision: String(params.decision) }) };
    default:
      return { wants: "close", text: "" };
  }
}

function fieldsText(fields: Record<string, string | undefined>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name}: ${value}`).join("\n");
}
