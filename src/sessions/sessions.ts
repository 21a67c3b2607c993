/**
 * What there is, put together: workspaces, tabs, how each stands, and the
 * events of their states. Terminals and chats tell of themselves here; lists
 * and watches read here.
 */
import { EventEmitter } from "node:events";
import type { RemoteSession, RemoteWorkspace, SessionEvent, SessionState } from "../protocol/rpc.js";
import type { Clock } from "./clock.js";
import { Events } from "./events.js";
import { Pace, type Urgency } from "./pace.js";
import {
  atRest,
  type ChatFacts,
  nextStanding,
  type Signal,
  type Standing,
  type TerminalFacts,
  type Waiting,
} from "./states.js";
import type { Tab, TabChange, Tabs } from "./tabs.js";
import { type SessionsView, sessionIn } from "./view.js";
import type { Workspace, WorkspaceChange, Workspaces } from "./workspaces.js";

export type { SessionsView } from "./view.js";

export type WorkspaceGit = NonNullable<RemoteWorkspace["git"]>;

export interface SessionsOptions {
  readonly workspaces: Workspaces;
  readonly tabs: Tabs;
  readonly clock: Clock;
}

export class Sessions {
  readonly events = new Events();
  readonly #workspaces: Workspaces;
  readonly #tabs: Tabs;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #changes = new EventEmitter<{ change: [] }>();
  readonly #standings = new Map<string, Standing>();
  /** Tabs whose first state was told as an event. */
  readonly #announced = new Set<string>();
  readonly #git = new Map<string, WorkspaceGit>();
  readonly #unsubscribe: readonly (() => void)[];

  constructor(options: SessionsOptions) {
    this.#workspaces = options.workspaces;
    this.#tabs = options.tabs;
    this.#clock = options.clock;
    this.#changes.setMaxListeners(0);
    this.#pace = new Pace(options.clock, () => this.#changes.emit("change"));
    for (const tab of options.tabs.list()) this.#standings.set(tab.tabId, atRest(options.clock.now()));
    this.#unsubscribe = [
      options.tabs.onChange((change) => this.#tabChanged(change)),
      options.workspaces.onChange((change) => this.#workspaceChanged(change)),
    ];
  }

  /** All that a view shows; closed workspaces too, for their first use. */
  list(view: SessionsView): { workspaces: RemoteWorkspace[]; sessions: RemoteSession[] } {
    const tabs = this.#tabs.list();
    const seen = tabs.filter(({ tabId }) => view.sees(tabId));
    const holding = new Set(seen.map(({ workspaceId }) => workspaceId));
    const workspaces = this.#workspaces
      .list()
      .filter(({ id }) => view.onlyItsTabs !== true || holding.has(id))
      .map((workspace) => this.#shownWorkspace(workspace));
    return { workspaces, sessions: seen.map((tab) => sessionIn(view, this.#session(tab))) };
  }

  /** One tab as the owner sees it. */
  get(tabId: string): RemoteSession | undefined {
    const tab = this.#tabs.get(tabId);
    return tab === undefined ? undefined : this.#session(tab);
  }

  /** Open tabs by the state they are in; states without any are left out. */
  counts(): Partial<Record<SessionState, number>> {
    const counts: Partial<Record<SessionState, number>> = {};
    for (const { state } of this.#standings.values()) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }

  /** A terminal told of itself. */
  terminal(tabId: string, facts: TerminalFacts): void {
    this.#signal(tabId, { type: "terminal", facts });
  }

  /** A chat told of itself. */
  chat(tabId: string, facts: ChatFacts): void {
    this.#signal(tabId, { type: "chat", facts });
  }

  /** A consent about this tab waits for the owner; undefined: no longer. */
  consent(tabId: string, waiting: Waiting | undefined): void {
    this.#signal(tabId, { type: "consent", waiting });
  }

  /** Someone read it: a person's device, never a request of an agent. */
  looked(tabId: string): void {
    this.#signal(tabId, { type: "looked" });
  }

  /** Someone watches it; the answer, called once, ends that. */
  looking(tabId: string): () => void {
    this.#signal(tabId, { type: "looking" });
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#signal(tabId, { type: "away" });
    };
  }

  /** How a workspace's branch stands; undefined: it is no repository. */
  setGit(workspaceId: string, git: WorkspaceGit | undefined): void {
    if (JSON.stringify(this.#git.get(workspaceId)) === JSON.stringify(git)) return;
    if (git === undefined) this.#git.delete(workspaceId);
    else this.#git.set(workspaceId, git);
    this.#pace.changed("quiet");
  }

  /** Called when the list changed, at the pace of sessions.update; the answer ends it. */
  onChange(listener: () => void): () => void {
    const own = (): void => listener();
    this.#changes.on("change", own);
    return () => void this.#changes.off("change", own);
  }

  dispose(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#pace.dispose();
    this.#changes.removeAllListeners();
  }

  #signal(tabId: string, signal: Signal): void {
    const tab = this.#tabs.get(tabId);
    const before = this.#standings.get(tabId);
    if (tab === undefined || before === undefined) return; // closed meanwhile
    const next = nextStanding(before, signal, this.#clock.now());
    this.#standings.set(tabId, next);
    const urgency = urgencyOf(before, next);
    const first = next.told && !this.#announced.has(tabId);
    if (next.state !== before.state || first) this.#announce(tab, next, first ? null : before.state);
    if (urgency !== undefined) this.#pace.changed(urgency);
  }

  #announce(tab: Tab, to: Standing, from: string | null): void {
    this.#announced.add(tab.tabId);
    const message = to.waiting?.text ?? to.last;
    this.#event(tab, { from, to: to.state, ...(message === undefined ? {} : { message }) });
  }

  #event(tab: Tab, change: Pick<SessionEvent, "from" | "to" | "message">): void {
    const { tabId, workspaceId, title, kind } = tab;
    const agent = kind === "terminal" ? this.#standings.get(tabId)?.agent : kind;
    this.events.append({
      at: this.#clock.now(),
      workspaceId,
      tabId,
      title,
      kind,
      ...(agent === undefined ? {} : { agent }),
      ...change,
    });
  }

  #tabChanged({ type, tab }: TabChange): void {
    if (type === "changed") {
      this.#pace.changed("quiet");
      return;
    }
    if (type === "opened") {
      this.#standings.set(tab.tabId, atRest(this.#clock.now()));
      this.#openWorkspace(tab.workspaceId);
    } else {
      const from = this.#announced.has(tab.tabId) ? (this.#standings.get(tab.tabId)?.state ?? null) : null;
      this.#event(tab, { from, to: "closed" });
      this.#standings.delete(tab.tabId);
      this.#announced.delete(tab.tabId);
    }
    this.#pace.changed("state");
  }

  /** A closed workspace opens with its first tab. */
  #openWorkspace(workspaceId: string): void {
    if (this.#workspaces.get(workspaceId)?.closed !== true) return;
    this.#workspaces.use(workspaceId).catch(() => undefined); // it opens with its next tab
  }

  #workspaceChanged({ type, workspace }: WorkspaceChange): void {
    if (type === "removed") this.#git.delete(workspace.id);
    this.#pace.changed("state");
  }

  #session(tab: Tab): RemoteSession {
    const { tabId, workspaceId, kind, title, profile } = tab;
    const { state, since, last, waiting } = this.#standings.get(tabId) ?? atRest(tab.openedAt);
    return {
      workspaceId,
      tabId,
      kind,
      title,
      state,
      since,
      ...(last === undefined ? {} : { last }),
      ...(profile === undefined ? {} : { profile }),
      ...(waiting === undefined ? {} : { waiting }),
    };
  }

  #shownWorkspace({ id, name, path, parentId, manager }: Workspace): RemoteWorkspace {
    const git = this.#git.get(id);
    return {
      id,
      name,
      path,
      ...(parentId === undefined ? {} : { parentId }),
      ...(manager === undefined ? {} : { manager }),
      ...(git === undefined ? {} : { git }),
    };
  }
}

/** How soon the change must be told; undefined when a list would show the same. */
function urgencyOf(before: Standing, next: Standing): Urgency | undefined {
  if (next.state !== before.state) return next.state === "needs-you" ? "urgent" : "state";
  const asked = (standing: Standing): string => JSON.stringify(standing.waiting ?? null);
  if (asked(before) !== asked(next)) return next.waiting === undefined ? "state" : "urgent";
  return next.last === before.last ? undefined : "quiet";
}
