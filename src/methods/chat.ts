/** chat.*: finds the chat, calls it, shapes the answer. */
import type { Chat } from "../chat/chat.js";
import type { Chats } from "../chat/chats.js";
import { listCommands, runCommand } from "../chat/commands.js";
import { isConsentId } from "../policy/consents.js";
import { forbidden, notFound, RpcFailure, unavailable } from "../protocol/errors.js";
import { MAX_MESSAGE_BYTES, MAX_WAITS_PER_DEVICE } from "../protocol/limits.js";
import { MAX_WAIT_MS, type RpcParams, type RpcResult } from "../protocol/rpc.js";
import type { Sessions } from "../sessions/sessions.js";
import type { Tab, Tabs } from "../sessions/tabs.js";
import type { Workspaces } from "../sessions/workspaces.js";
import { watchChat } from "../watches/chat.js";
import type { WatchHub } from "../watches/hub.js";
import { answerChatConsent, type ConsentDesk, openConsent } from "./consents.js";
import { type HandlersOf, isPerson, type RequestContext } from "./context.js";

export interface ChatDeps {
  readonly chats: Chats;
  readonly tabs: Tabs;
  readonly sessions: Sessions;
  readonly workspaces: Workspaces;
  readonly hub: WatchHub;
  readonly consents: ConsentDesk;
  /** Resolves a folder inside a workspace, or throws Forbidden. */
  folder(workspaceId: string, path: string): Promise<string>;
}

interface Ref {
  readonly workspaceId: string;
  readonly tabId: string;
}

const DEFAULT_ITEMS = 100;

/** What an update's frame holds beside its params. */
const NOTIFICATION_BYTES = 512;

export function createChatMethods(deps: ChatDeps): HandlersOf<"chat"> {
  const { chats, sessions, hub } = deps;
  const waits = new Waits();
  const find = (ctx: RequestContext, ref: Ref): Chat => findChat(deps, ctx, ref);
  const looked = (ctx: RequestContext, tabId: string): void => {
    if (isPerson(ctx)) sessions.looked(tabId);
  };

  return {
    "chat.read": async (ctx, { before, limit, ...ref }) => {
      const chat = find(ctx, ref);
      await chat.load();
      looked(ctx, chat.tabId);
      const { panel: _panel, cursor: _cursor, ...page } = chat.feed.snapshot(limit ?? DEFAULT_ITEMS, before);
      return page;
    },
    "chat.watch": async (ctx, { limit, ...ref }) => {
      const chat = find(ctx, ref);
      await chat.load();
      const watch = hub.open(ctx.link, { kind: "chat", capability: "chat.read", tabId: chat.tabId });
      if (isPerson(ctx)) watch.onStop(sessions.looking(chat.tabId));
      return watchChat(chat.feed, watch, {
        limit: limit ?? DEFAULT_ITEMS,
        pageBudgetBytes: ctx.resultBudgetBytes,
        updateBudgetBytes: MAX_MESSAGE_BYTES - NOTIFICATION_BYTES,
        answered: ctx.answered,
        deliver: (update) => ctx.link.deliver("chat.update", update),
      });
    },
    "chat.unwatch": (ctx, { watchId }) => {
      hub.close(ctx.link, "chat", watchId);
      return {};
    },
    "chat.settings": (ctx, ref) => find(ctx, ref).settings(),
    "chat.commands": async (ctx, ref) => ({ commands: listCommands(await agentCommands(find(ctx, ref))) }),
    "chat.panel": async (ctx, ref) => {
      const chat = find(ctx, ref);
      await chat.load();
      return chat.model.items.panel;
    },
    "chat.tool": async (ctx, { toolUseId, ...ref }) => {
      const chat = find(ctx, ref);
      if (isConsentId(toolUseId))
        return openConsent(deps.consents, ctx, { tabId: chat.tabId, id: toolUseId });
      await chat.load();
      return chat.tool(toolUseId);
    },
    "chat.wait": (ctx, { timeoutMs, ...params }) =>
      waits.run(ctx.caller.deviceId, () => waitFor(deps, ctx, params, timeoutMs ?? MAX_WAIT_MS)),
    "chat.image": async (ctx, { ref, ...tab }) => {
      const chat = find(ctx, tab);
      await chat.load();
      return chat.image(ref);
    },

    "chat.send": async (ctx, { text, attachments, ...ref }) => {
      const chat = find(ctx, ref);
      const owner = { deviceId: ctx.caller.deviceId, tabId: chat.tabId };
      const ids = attachments ?? [];
      const images = chats.attachments.find(owner, ids);
      const sent = await chat.send({
        text,
        images,
        from: ctx.from,
        device: ctx.caller.name,
        framed: ctx.frame?.(text),
      });
      chats.attachments.drop(ids);
      return sent;
    },
    "chat.attach": (ctx, { mediaType, data, ...ref }) => {
      const { tabId } = find(ctx, ref);
      const owner = { deviceId: ctx.caller.deviceId, tabId };
      return { attachmentId: chats.attachments.add(owner, { mediaType, data }) };
    },
    "chat.answer": async (ctx, { workspaceId, tabId, ...answer }) => {
      const chat = find(ctx, { workspaceId, tabId });
      if (isConsentId(answer.requestId)) await answerChatConsent(deps.consents, ctx, { tabId, ...answer });
      else await chat.answer(answer, ctx.caller.name);
      return {};
    },
    "chat.interrupt": async (ctx, ref) => {
      await find(ctx, ref).interrupt();
      return {};
    },
    "chat.configure": async (ctx, { model, effort, permissionMode, ...ref }) => {
      const chat = find(ctx, ref);
      if (ctx.from !== undefined && permissionMode !== undefined) await refuseLooser(chat, permissionMode);
      return chat.configure({ model, effort, permissionMode });
    },
    "chat.command": async (ctx, { name, args, ...ref }) => {
      const chat = find(ctx, ref);
      const folder = workspacePath(deps, ref.workspaceId);
      return runCommand(
        chat,
        { name, args: args ?? "" },
        {
          past: (query, limit) => chats.history(chat.agent, folder, { query, limit, signal: ctx.signal }),
          resume: async (sessionId) =>
            (await openPast(deps, ctx, { workspaceId: ref.workspaceId, agent: chat.agent, sessionId })).tabId,
        },
      );
    },
    "chat.stopTask": async (ctx, { taskId, ...ref }) => {
      const chat = find(ctx, ref);
      await chat.load();
      await chat.stopTask(taskId);
      return {};
    },
    "chat.rename": async (ctx, { title, ...ref }) => {
      const chat = find(ctx, ref);
      const given = await chat.rename(title);
      await deps.tabs.rename(chat.tabId, given);
      return { title: given };
    },
    "chat.resume": (ctx, params) => openPast(deps, ctx, params),
    "chat.new": (ctx, params) => openNew(deps, ctx, params),
    "chat.close": async (ctx, ref) => {
      const { tabId } = find(ctx, ref);
      hub.closeTab(tabId);
      await chats.close(tabId);
      await deps.tabs.close(tabId);
      return {};
    },
  };
}

/** NotFound also for a terminal, and for a tab that the caller may not know of. */
function findChat(deps: ChatDeps, ctx: RequestContext, ref: Ref): Chat {
  const tab = deps.tabs.get(ref.tabId);
  if (!isShown(ctx, ref, tab)) throw notFound("tab");
  const chat = deps.chats.find(ref.tabId);
  if (chat === undefined) throw unavailable("The profile of this chat is no longer configured");
  return chat;
}

function isShown(ctx: RequestContext, ref: Ref, tab: Tab | undefined): boolean {
  return (
    tab !== undefined &&
    tab.kind !== "terminal" &&
    tab.workspaceId === ref.workspaceId &&
    ctx.caller.sees(tab.tabId)
  );
}

function workspacePath(deps: ChatDeps, workspaceId: string): string {
  const workspace = deps.workspaces.get(workspaceId);
  if (workspace === undefined) throw notFound("workspace");
  return workspace.path;
}

async function openNew(
  deps: ChatDeps,
  ctx: RequestContext,
  params: RpcParams<"chat.new">,
): Promise<RpcResult<"chat.new">> {
  const { workspaceId, agent, prompt, model, effort, permissionMode, profile } = params;
  const own = workspacePath(deps, workspaceId);
  const folder = params.folder === undefined ? own : await deps.folder(workspaceId, params.folder);
  if (ctx.from !== undefined && permissionMode !== undefined) {
    throw forbidden("An agent cannot choose the mode of a chat it opens");
  }
  const { chat, error } = await deps.chats.new({
    workspaceId,
    folder,
    agent,
    profile,
    tabId: ctx.reserved,
    settings: { model, effort, permissionMode },
    prompt,
    from: ctx.from,
    device: ctx.caller.name,
    framed: prompt === undefined ? undefined : ctx.frame?.(prompt),
  });
  await openTab(deps, ctx, chat);
  return { tabId: chat.tabId, ...(error === undefined ? {} : { error }) };
}

async function openPast(
  deps: ChatDeps,
  ctx: RequestContext,
  params: RpcParams<"chat.resume">,
): Promise<RpcResult<"chat.resume">> {
  const folder = workspacePath(deps, params.workspaceId);
  const chat = await deps.chats.resume({ ...params, folder, tabId: ctx.reserved });
  await openTab(deps, ctx, chat);
  return { tabId: chat.tabId };
}

/** The chat's tab; without room for one the chat is closed again. */
async function openTab(deps: ChatDeps, ctx: RequestContext, chat: Chat): Promise<void> {
  const { tabId, workspaceId, agent, title } = chat;
  try {
    await deps.tabs.create({
      tabId,
      workspaceId,
      kind: agent,
      title,
      profile: chat.profile.id,
      openedBy: ctx.caller.deviceId,
    });
  } catch (error) {
    await deps.chats.close(tabId);
    throw error;
  }
  deps.sessions.chat(tabId, chat.state());
}

/** With `from` a mode is never loosened: only an equally strict or a stricter one is taken. */
async function refuseLooser(chat: Chat, wanted: string): Promise<void> {
  const { options, permissionMode } = await chat.settings();
  const place = (id: string): number =>
    options.modes.findIndex((mode) => mode.id === id || mode.label === id);
  if (place(wanted) > place(permissionMode)) throw forbidden("An agent cannot loosen the mode of a chat");
}

async function agentCommands(chat: Chat) {
  try {
    return await chat.agentCommands();
  } catch (error) {
    if (error instanceof RpcFailure) return []; // the program cannot start: the app's own remain
    throw error;
  }
}

async function waitFor(
  deps: ChatDeps,
  ctx: RequestContext,
  ref: Ref & { after?: number | undefined },
  timeoutMs: number,
): Promise<RpcResult<"chat.wait">> {
  if (deps.tabs.get(ref.tabId) === undefined && isShown(ctx, ref, deps.tabs.closed(ref.tabId))) {
    return { done: true, state: "closed" };
  }
  const chat = findChat(deps, ctx, ref);
  await chat.load();
  const end = performance.now() + timeoutMs;
  for (;;) {
    const result = chat.wait();
    const left = end - performance.now();
    if (result.done || left <= 0 || ctx.signal.aborted) return result;
    await nextChange(chat, ctx.signal, left);
  }
}

/** Resolves at the chat's next change, when time is up, or when nobody waits any more. */
function nextChange(chat: Chat, signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      stop();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    const stop = chat.onChange(done);
    signal.addEventListener("abort", done);
  });
}

/** Parked waits by device. */
class Waits {
  readonly #parked = new Map<string, number>();

  async run<T>(deviceId: string, wait: () => Promise<T>): Promise<T> {
    const parked = this.#parked.get(deviceId) ?? 0;
    if (parked >= MAX_WAITS_PER_DEVICE)
      throw unavailable("Too many waits of this device are open; end some first");
    this.#parked.set(deviceId, parked + 1);
    try {
      return await wait();
    } finally {
      const left = (this.#parked.get(deviceId) ?? 1) - 1;
      if (left > 0) this.#parked.set(deviceId, left);
      else this.#parked.delete(deviceId);
    }
  }
}
