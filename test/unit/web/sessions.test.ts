import { expect, test } from "vitest";
import type { RemoteSession, SessionEvent, SessionState } from "../../../src/protocol/rpc.js";
import { digestOf } from "../../../src/web/sessions/digest.js";
import { byState, byWorkspace } from "../../../src/web/sessions/order.js";
import { ctrlOf, keyOf } from "../../../src/web/terminal/key-names.js";

const session = (tabId: string, state: SessionState, since: number, workspaceId = "w"): RemoteSession => ({
  workspaceId,
  tabId,
  kind: "claude",
  title: tabId,
  state,
  since,
});

const event = (tabId: string, to: string, at: number): SessionEvent => ({
  seq: at,
  at,
  workspaceId: "w",
  tabId,
  title: tabId,
  kind: "claude",
  from: "idle",
  to,
});

test("who needs a person stands first, then what runs, what is new, what rests", () => {
  const groups = byState([
    session("a", "idle", 5),
    session("b", "needs-you", 1),
    session("c", "running", 2),
    session("d", "needs-you", 3),
    session("e", "new-result", 4),
  ]);
  expect(groups.map(({ head, sessions }) => [head, sessions.map(({ tabId }) => tabId).join("")])).toEqual([
    ["needs-you", "db"],
    ["running", "c"],
    ["new-result", "e"],
    ["idle", "a"],
  ]);
});

test("folders with a session that needs a person come first, tasks after theirs, also when their parent is gone", () => {
  const workspaces = [
    { id: "quiet", name: "a", path: "/a" },
    { id: "busy", name: "b", path: "/b" },
    { id: "task", name: "t", path: "/t", parentId: "busy" },
    { id: "orphan", name: "z", path: "/z", parentId: "gone" },
  ];
  const groups = byWorkspace({ workspaces, sessions: [session("x", "needs-you", 1, "task")] });
  expect(groups.map(({ head }) => head.id)).toEqual(["busy", "task", "quiet", "orphan"]);
});

test("many events of a session are told once, by the last of them, what waits first", () => {
  const events = [
    event("a", "running", 1),
    event("a", "new-result", 2),
    event("b", "needs-you", 3),
    event("b", "running", 4),
    event("c", "needs-you", 5),
  ];
  expect(digestOf(events).map(({ tabId, to }) => `${tabId} ${to}`)).toEqual(["c needs-you", "a new-result"]);
});

test.each([
  [{ key: "Enter" }, "enter"],
  [{ key: "Tab", shiftKey: true }, "shift-tab"],
  [{ key: "c", ctrlKey: true }, "ctrl-c"],
  [{ key: "PageUp" }, "pageup"],
  [{ key: "x" }, undefined],
  [{ key: "c", metaKey: true }, undefined],
  [{ key: "ArrowLeft", altKey: true }, undefined],
])("%j is the key %s", (pressed, key) => {
  const none = { ctrlKey: false, shiftKey: false, altKey: false, metaKey: false };
  expect(keyOf({ ...none, ...pressed })).toBe(key);
});

test("only letters have a control key", () => {
  expect(ctrlOf("R")).toBe("ctrl-r");
  expect(ctrlOf("1")).toBeUndefined();
});
