import { describe, expect, it } from "vitest";
import { RpcErrorCode } from "../../../src/protocol/errors.js";
import { EMPTY_TABS, type NewTab, type TabChange, Tabs, TabsFileSchema } from "../../../src/sessions/tabs.js";
import { ManualClock } from "../../support/clock.js";
import { MemoryKept } from "../../support/kept.js";

function setUp() {
  const kept = new MemoryKept(EMPTY_TABS);
  const clock = new ManualClock();
  const tabs = new Tabs(kept, clock);
  const changes: TabChange[] = [];
  tabs.onChange((change) => changes.push(change));
  return { kept, clock, tabs, changes };
}

const bash: NewTab = { workspaceId: "w", kind: "terminal", title: "bash", openedBy: "phone" };
const notFound = { code: RpcErrorCode.NotFound };

describe("Tabs", () => {
  it("writes a tab down under an id that stays, before anyone hears of it", async () => {
    const { kept, clock, tabs, changes } = setUp();
    const tab = await tabs.create(bash);
    expect(tab).toMatchObject({ ...bash, openedAt: clock.now() });
    expect(kept.saved.tabs).toEqual([tab]);
    expect(changes).toEqual([{ type: "opened", tab }]);
    expect(new Tabs(kept, clock).list()).toEqual([tab]);
    expect(TabsFileSchema.parse(kept.saved)).toEqual(kept.saved);
  });

  it("opens one under the id that was chosen before, and only once", async () => {
    const { tabs, changes } = setUp();
    const [first, second] = await Promise.all([1, 2].map(() => tabs.create({ ...bash, tabId: "chosen" })));
    expect(first).toMatchObject({ tabId: "chosen" });
    expect(second).toEqual(first);
    expect(tabs.list()).toHaveLength(1);
    expect(changes).toHaveLength(1);
  });

  it("takes 200 open tabs and again one when one is closed", async () => {
    const { tabs } = setUp();
    for (let n = 0; n < 200; n++) await tabs.create({ ...bash, tabId: `t${n}` });
    await expect(tabs.create(bash)).rejects.toMatchObject({ code: RpcErrorCode.Unavailable });
    expect(await tabs.create({ ...bash, tabId: "t7" })).toMatchObject({ tabId: "t7" });
    await tabs.close("t0");
    expect(await tabs.create(bash)).toMatchObject({ title: "bash" });
  });

  it("is renamed by a person, which beats what its program says", async () => {
    const { tabs } = setUp();
    const { tabId } = await tabs.create(bash);
    await tabs.programTitle(tabId, "vim");
    expect(tabs.get(tabId)?.title).toBe("vim");
    expect(await tabs.rename(tabId, " my\nbuild ")).toMatchObject({ title: "my build", renamed: true });
    await tabs.programTitle(tabId, "make");
    expect(tabs.get(tabId)?.title).toBe("my build");
    expect((await tabs.rename(tabId, "\u0007")).title).toBe("terminal");
    const named = await tabs.create({ ...bash, title: "mine", renamed: true });
    await tabs.programTitle(named.tabId, "vim");
    expect(tabs.get(named.tabId)?.title).toBe("mine");
  });

  it("writes titles of programs at most once a minute, and what is held back with the next write", async () => {
    const { kept, clock, tabs, changes } = setUp();
    const { tabId } = await tabs.create(bash);
    const saves = kept.saves;
    for (let n = 0; n < 100; n++) await tabs.programTitle(tabId, `title ${n}`);
    await tabs.programTitle(tabId, "title 99");
    await tabs.programTitle("unknown", "x");
    expect(kept.saves).toBe(saves + 1);
    expect(changes).toHaveLength(101);
    expect(kept.saved.tabs[0]?.title).toBe("title 0");
    await tabs.flush();
    expect(kept.saved.tabs[0]?.title).toBe("title 99");
    clock.advance(60_000);
    await tabs.programTitle(tabId, "later");
    expect(kept.saved.tabs[0]?.title).toBe("later");
  });

  it("keeps hostile titles to one short line", async () => {
    const { tabs } = setUp();
    const { tabId } = await tabs.create(bash);
    await tabs.programTitle(tabId, `\u001b[2J\u202e${"x".repeat(5000)}`);
    expect(tabs.get(tabId)?.title).toMatch(/^x+…$/);
    expect(tabs.get(tabId)?.title.length).toBeLessThanOrEqual(200);
  });

  it("remembers a closed tab for ten minutes", async () => {
    const { kept, clock, tabs, changes } = setUp();
    const { tabId } = await tabs.create(bash);
    const tab = await tabs.close(tabId);
    expect(kept.saved.tabs).toEqual([]);
    expect(changes.at(-1)).toEqual({ type: "closed", tab });
    expect(tabs.get(tabId)).toBeUndefined();
    expect(tabs.closed(tabId)).toEqual(tab);
    await expect(tabs.close(tabId)).rejects.toMatchObject(notFound);
    await expect(tabs.rename(tabId, "x")).rejects.toMatchObject(notFound);
    clock.advance(10 * 60_000);
    expect(tabs.closed(tabId)).toEqual(tab);
    clock.advance(1);
    expect(tabs.closed(tabId)).toBeUndefined();
  });

  it("remembers no more than 2,000 closed tabs", async () => {
    const { tabs } = setUp();
    for (let n = 0; n <= 2000; n++) {
      await tabs.create({ ...bash, tabId: `t${n}` });
      await tabs.close(`t${n}`);
    }
    expect(tabs.closed("t0")).toBeUndefined();
    expect(tabs.closed("t2000")).toBeDefined();
  });

  it("stays open when the disk is full", async () => {
    const { kept, tabs, changes } = setUp();
    const { tabId } = await tabs.create(bash);
    kept.failing = true;
    await expect(tabs.close(tabId)).rejects.toThrow("No space");
    await expect(tabs.create(bash)).rejects.toThrow("No space");
    expect(tabs.list()).toHaveLength(1);
    expect(tabs.closed(tabId)).toBeUndefined();
    expect(changes).toHaveLength(1);
  });
});
