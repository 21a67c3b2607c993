/**
 * The tabs: each chat and each terminal, by an id that stays over restarts.
 * What their programs do is told elsewhere (states.ts); here is that they are
 * there, where, and what they are called.
 */
import { EventEmitter } from "node:events";
import { z } from "zod";
import { notFound, unavailable } from "../protocol/errors.js";
import { newId } from "./ids.js";
import type { Kept } from "./kept.js";
import {
  CLOSED_TAB_KEEP_MS,
  MAX_CLOSED_TABS,
  MAX_OPEN_TABS,
  MAX_TITLE_CHARS,
  TITLE_SAVE_MS,
} from "./limits.js";
import { oneLine } from "./line.js";

const TabSchema = z.object({
  tabId: z.string().min(1),
  workspaceId: z.string().min(1),
  kind: z.enum(["claude", "codex", "terminal"]),
  title: z.string().min(1),
  /** A person gave the title: it beats those that programs set. */
  renamed: z.boolean().optional(),
  /** The id of the profile that its agent runs with. */
  profile: z.string().optional(),
  /** Unix milliseconds. */
  openedAt: z.number(),
  /** The id of the device that opened it. */
  openedBy: z.string().optional(),
});
export type Tab = z.infer<typeof TabSchema>;

export const TabsFileSchema = z.object({
  version: z.literal(1),
  tabs: z.array(TabSchema).max(MAX_OPEN_TABS),
});
export type TabsFile = z.infer<typeof TabsFileSchema>;
export const EMPTY_TABS: TabsFile = { version: 1, tabs: [] };

export interface NewTab {
  readonly workspaceId: string;
  readonly kind: Tab["kind"];
  readonly title: string;
  /** A person chose the title. */
  readonly renamed?: boolean;
  readonly profile?: string;
  readonly openedBy?: string;
  /** The id it takes, when that was chosen before. */
  readonly tabId?: string;
}

export interface TabChange {
  readonly type: "opened" | "changed" | "closed";
  readonly tab: Tab;
}

export interface ClosedTab {
  readonly tab: Tab;
  /** On the monotonic clock. */
  readonly at: number;
}

/** Time as the tabs take it. */
export interface TabsClock {
  now(): number;
  monotonic(): number;
}

export class Tabs {
  readonly #kept: Kept<TabsFile>;
  readonly #clock: TabsClock;
  readonly #changes = new EventEmitter<{ change: [TabChange] }>();
  /** Titles that programs set and that are not on the disk yet. */
  readonly #titles = new Map<string, string>();
  /** Oldest first. */
  readonly #closed = new Map<string, ClosedTab>();
  #titlesSavedAt = Number.NEGATIVE_INFINITY;

  constructor(kept: Kept<TabsFile>, clock: TabsClock) {
    this.#kept = kept;
    this.#clock = clock;
    this.#changes.setMaxListeners(0);
  }

  /** In the order in which they were opened. */
  list(): Tab[] {
    return this.#kept.value.tabs.map((tab) => this.#titled(tab));
  }

  get(tabId: string): Tab | undefined {
    const tab = this.#kept.value.tabs.find((one) => one.tabId === tabId);
    return tab === undefined ? undefined : this.#titled(tab);
  }

  of(workspaceId: string): Tab[] {
    return this.list().filter((tab) => tab.workspaceId === workspaceId);
  }

  /** A tab that was closed in the last ten minutes. */
  closed(tabId: string): Tab | undefined {
    this.#forgetClosed();
    return this.#closed.get(tabId)?.tab;
  }

  /**
   * Writes a tab down; one that is open under the wanted id already is the
   * answer as it is. Throws Unavailable past 200 open ones.
   */
  async create(given: NewTab): Promise<Tab> {
    const known = given.tabId === undefined ? undefined : this.get(given.tabId);
    if (known !== undefined) return known;
    if (this.#kept.value.tabs.length >= MAX_OPEN_TABS) {
      throw unavailable(`${MAX_OPEN_TABS} chats and terminals are open; close one first`);
    }
    const { workspaceId, kind, profile, openedBy } = given;
    const tab: Tab = {
      tabId: given.tabId ?? newId(),
      workspaceId,
      kind,
      title: fitTitle(given.title) || kind,
      ...(given.renamed === true ? { renamed: true } : {}),
      ...(profile === undefined ? {} : { profile }),
      openedAt: this.#clock.now(),
      ...(openedBy === undefined ? {} : { openedBy }),
    };
    await this.#save([...this.list(), tab]);
    this.#closed.delete(tab.tabId);
    this.#tell("opened", tab);
    return tab;
  }

  /** By a person; throws NotFound. An empty title is the tab's kind. */
  async rename(tabId: string, title: string): Promise<Tab> {
    const before = this.#need(tabId);
    const tab = { ...before, title: fitTitle(title) || before.kind, renamed: true };
    this.#titles.delete(tabId);
    await this.#save(this.list().map((one) => (one.tabId === tabId ? tab : one)));
    this.#tell("changed", tab);
    return tab;
  }

  /** By its program: counts unless a person named the tab; on the disk at most once a minute. */
  async programTitle(tabId: string, title: string): Promise<void> {
    const tab = this.get(tabId);
    const fit = fitTitle(title);
    if (tab === undefined || tab.renamed === true || fit === "" || fit === tab.title) return;
    this.#titles.set(tabId, fit);
    this.#tell("changed", { ...tab, title: fit });
    const now = this.#clock.monotonic();
    if (now - this.#titlesSavedAt < TITLE_SAVE_MS) return;
    this.#titlesSavedAt = now;
    await this.#save(this.list());
  }

  /** Throws NotFound; {@link closed} knows it for ten minutes more. */
  async close(tabId: string): Promise<Tab> {
    const tab = this.#need(tabId);
    await this.#save(this.list().filter((one) => one.tabId !== tabId));
    this.#titles.delete(tabId);
    this.#forgetClosed();
    this.#closed.set(tabId, { tab, at: this.#clock.monotonic() });
    this.#tell("closed", tab);
    return tab;
  }

  /** Writes the titles that are held back; for the end of the daemon. */
  async flush(): Promise<void> {
    if (this.#titles.size > 0) await this.#save(this.list());
  }

  /** Called after each change; the answer ends it. */
  onChange(listener: (change: TabChange) => void): () => void {
    this.#changes.on("change", listener);
    return () => void this.#changes.off("change", listener);
  }

  #need(tabId: string): Tab {
    const tab = this.get(tabId);
    if (tab === undefined) throw notFound("tab");
    return tab;
  }

  #titled(tab: Tab): Tab {
    const title = tab.renamed === true ? undefined : this.#titles.get(tab.tabId);
    return title === undefined ? tab : { ...tab, title };
  }

  #forgetClosed(): void {
    const before = this.#clock.monotonic() - CLOSED_TAB_KEEP_MS;
    for (const [tabId, { at }] of this.#closed) {
      if (at >= before && this.#closed.size < MAX_CLOSED_TABS) return;
      this.#closed.delete(tabId);
    }
  }

  #save(tabs: Tab[]): Promise<void> {
    return this.#kept.save({ version: 1, tabs });
  }

  #tell(type: TabChange["type"], tab: Tab): void {
    this.#changes.emit("change", { type, tab });
  }
}

function fitTitle(title: string): string {
  return oneLine(title, MAX_TITLE_CHARS);
}
