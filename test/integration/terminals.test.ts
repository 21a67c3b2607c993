import { describe, expect, test } from "vitest";
import { atPrompt, BASH, plainTerminal, shows, terminalFolders } from "../support/terminal-host.js";
import { waitFor } from "../support/wait-for.js";

const never = new AbortController().signal;

describe("terminals", () => {
  test("opens a shell, types, reads, waits and closes", async () => {
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    const status = await terminals.open(plainTerminal("a", folder));
    expect(status.id).toBe("a");
    await atPrompt(terminals, "a");
    const { at } = await terminals.input("a", { text: "echo $((6*7))x", enter: true });
    const waited = await terminals.wait("a", { asker: "t", after: at, match: "^42x$" }, never);
    expect(waited).toEqual({ done: true, state: "matched", message: "42x" });
    expect(await terminals.read("a", { lines: 5 })).toContain("42x");
    const idle = await terminals.wait("a", { asker: "t", after: at }, never);
    expect(idle).toMatchObject({ done: true, state: "idle" });
    await terminals.close("a", {});
    expect(terminals.get("a")).toBeUndefined();
  });

  test("a second open with the same id returns the first, also at the same time", async () => {
    const { folder, start, hosts } = await terminalFolders();
    const terminals = await start();
    await Promise.all([1, 2, 3].map(() => terminals.open(plainTerminal("a", folder))));
    await terminals.open(plainTerminal("a", folder));
    expect(terminals.list()).toHaveLength(1);
    // Between its fork and its exec a program looks like another host.
    await waitFor("a single host", () => hosts().length === 1);
  });

  test("a watch gets updates that add up to what a read gives", async () => {
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    await terminals.open(plainTerminal("a", folder));
    await atPrompt(terminals, "a");
    let text = "";
    const watch = await terminals.watch(
      "a",
      { lines: 100 },
      async (update) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        text = text.slice(0, update.start) + update.text;
      },
      () => undefined,
    );
    text = watch.text;
    await terminals.input("a", { text: "seq 1 1000000", enter: true });
    await shows(terminals, "a", /\n1000000\n/);
    await waitFor("the same text", async () => text === (await terminals.read("a", { lines: 100 })));
  });

  test("a command is typed once, at the first prompt", async () => {
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    await terminals.open(plainTerminal("a", folder, { command: "echo one-$((1+1))" }));
    const result = await terminals.wait("a", { asker: "t" }, never);
    expect(result.state).toBe("idle");
    const text = await terminals.read("a", {});
    expect(text.split("one-$((1+1))")).toHaveLength(2);
    expect(text).toContain("one-2");
  });

  test("the exit code and the last words of a program that ended are there, and typing is refused", async () => {
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    await terminals.open(plainTerminal("a", folder, { command: "echo last words; exit 7" }));
    const result = await terminals.wait("a", { asker: "t", exit: true }, never);
    expect(result).toMatchObject({ done: true, state: "exited" });
    expect(terminals.get("a")).toMatchObject({ phase: "ended", exit: { code: 7 } });
    expect(await terminals.read("a", {})).toContain("last words");
    await expect(terminals.input("a", { text: "x" })).rejects.toThrow(/has ended/);
    await terminals.close("a", {});
  });

  test("close refuses while a program runs, says which, and ends it with force", async () => {
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    await terminals.open(plainTerminal("a", folder, { command: "sleep 1000" }));
    await waitFor("sleep", () => terminals.get("a")?.foreground === "sleep");
    await expect(terminals.close("a", {})).rejects.toThrow(/sleep still runs/);
    await terminals.close("a", { force: true });
    expect(terminals.list()).toEqual([]);
  });

  test("a start that cannot work says why", async () => {
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    const bad = { ...BASH, path: "/no/such/shell" };
    await expect(terminals.open(plainTerminal("a", folder, { shell: bad }))).rejects.toThrow(
      /does not exist/,
    );
    await expect(terminals.open(plainTerminal("b", `${folder}/gone`))).rejects.toThrow(/does not exist/);
    expect(terminals.list()).toEqual([]);
  });
});
