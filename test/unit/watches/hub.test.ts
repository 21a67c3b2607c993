import { describe, expect, test } from "vitest";
import { MAX_WATCHES } from "../../../src/protocol/limits.js";
import { WatchHub } from "../../../src/watches/hub.js";

function fakeLink(id: string) {
  const listeners: (() => void)[] = [];
  return {
    id,
    onClose: (listener: () => void) => void listeners.push(listener),
    close: () => {
      for (const listener of listeners.splice(0)) listener();
    },
  };
}

const terminal = { kind: "terminal", capability: "terminal.read", tabId: "t1" } as const;

describe("the hub", () => {
  test("a watch belongs to its link and kind", () => {
    const hub = new WatchHub();
    const [a, b] = [fakeLink("a"), fakeLink("b")];
    const watch = hub.open(a, terminal);
    expect(() => hub.close(b, "terminal", watch.id)).toThrow(/No such watch/);
    expect(() => hub.close(a, "chat", watch.id)).toThrow(/No such watch/);
    expect(() => hub.close(a, "terminal", "__proto__")).toThrow(/No such watch/);
    hub.close(a, "terminal", watch.id);
    expect(watch.closed).toBe(true);
    expect(() => hub.close(a, "terminal", watch.id)).toThrow(/No such watch/);
  });

  test("what a watch holds is let go once, whichever way it ends", () => {
    const hub = new WatchHub();
    const link = fakeLink("a");
    const stopped: string[] = [];
    const open = (name: string) => {
      const watch = hub.open(link, terminal);
      watch.onStop(() => stopped.push(name));
      return watch;
    };
    hub.close(link, "terminal", open("unwatched").id);
    open("tab closed");
    hub.closeTab("t1");
    open("right lost");
    hub.narrow(link, (capability) => capability !== "terminal.read");
    const last = open("link ended");
    link.close();
    last.close();
    last.onStop(() => stopped.push("too late, at once"));
    expect(stopped).toEqual(["unwatched", "tab closed", "right lost", "link ended", "too late, at once"]);
    expect(hub.size).toBe(0);
  });

  test("a link has 64 watches at most", () => {
    const hub = new WatchHub();
    const link = fakeLink("a");
    for (let i = 0; i < MAX_WATCHES; i++) hub.open(link, terminal);
    expect(() => hub.open(link, terminal)).toThrow(/end one first/);
    hub.open(fakeLink("b"), terminal);
  });
});
