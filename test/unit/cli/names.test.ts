import { describe, expect, test } from "vitest";
import { exitCodeOf } from "../../../src/cli/exit.js";
import { findTab, findWorkspace } from "../../../src/cli/names.js";
import type { RemoteSession, RemoteWorkspace } from "../../../src/protocol/rpc.js";

const tab = (tabId: string, title: string, kind: RemoteSession["kind"] = "terminal"): RemoteSession => ({
  workspaceId: "w1",
  tabId,
  kind,
  title,
  state: "idle",
});

const SESSIONS = [
  tab("abcd1111", "build"),
  tab("abcd2222", "logs"),
  tab("ffff3333", "logs"),
  tab("eeee4444", "chat about it", "claude"),
  tab("build", "abcd1111"),
];

function codeOf(act: () => unknown): number {
  try {
    act();
  } catch (error) {
    return exitCodeOf(error);
  }
  return 0;
}

describe("a tab", () => {
  test("is found by its id, a start of its id, or its title", () => {
    expect(findTab(SESSIONS, "abcd2222").title).toBe("logs");
    expect(findTab(SESSIONS, "ffff").tabId).toBe("ffff3333");
    expect(findTab(SESSIONS, "chat about it").tabId).toBe("eeee4444");
  });

  test("whose id it is comes before one whose title it is", () => {
    expect(findTab(SESSIONS, "build").tabId).toBe("build");
  });

  test("that could be several is a usage error that names them", () => {
    expect(codeOf(() => findTab(SESSIONS, "logs"))).toBe(2);
    expect(() => findTab(SESSIONS, "abcd")).toThrow(/abcd1111 \(build\), abcd2222 \(logs\)/);
  });

  test("is not found by too short a start, an unknown name, or the other kind", () => {
    expect(codeOf(() => findTab(SESSIONS, "fff"))).toBe(3);
    expect(codeOf(() => findTab(SESSIONS, "nothing"))).toBe(3);
    expect(codeOf(() => findTab(SESSIONS, "eeee4444", "terminal"))).toBe(3);
    expect(findTab(SESSIONS, "eeee4444", "chat").tabId).toBe("eeee4444");
  });
});

describe("a workspace", () => {
  const all: RemoteWorkspace[] = [
    { id: "w0", name: "manager", path: "/m", manager: true },
    { id: "w1", name: "app", path: "/src/app" },
    { id: "w2", name: "lib", path: "/src/app/lib" },
  ];
  const hint = (text?: string, own?: string, folder?: string) => ({ text, own, folder });

  test("is the named one, by name, id or path", () => {
    expect(findWorkspace(all, hint("lib")).id).toBe("w2");
    expect(findWorkspace(all, hint("w1")).id).toBe("w1");
    expect(findWorkspace(all, hint("/src/app")).id).toBe("w1");
    expect(codeOf(() => findWorkspace(all, hint("other")))).toBe(3);
  });

  test("is without a name the tab's own, else the nearest around the folder", () => {
    expect(findWorkspace(all, hint(undefined, "w1", "/src/app/lib")).id).toBe("w1");
    expect(findWorkspace(all, hint(undefined, undefined, "/src/app/lib/deep")).id).toBe("w2");
    expect(findWorkspace(all, hint(undefined, undefined, "/src/app/library")).id).toBe("w1");
  });

  test("is otherwise the only one that is no manager, or has to be named", () => {
    expect(findWorkspace(all.slice(0, 2), hint(undefined, undefined, "/else")).id).toBe("w1");
    expect(codeOf(() => findWorkspace(all, hint(undefined, undefined, "/else")))).toBe(2);
    expect(codeOf(() => findWorkspace(all.slice(0, 1), hint()))).toBe(2);
  });
});
