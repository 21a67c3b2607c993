import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Terminals } from "../../src/terminal/client.js";
import { atPrompt, plainTerminal, shows, terminalFolders } from "../support/terminal-host.js";
import { waitFor } from "../support/wait-for.js";

const never = new AbortController().signal;
const TUI = fileURLToPath(new URL("../support/bin/tui.mjs", import.meta.url));

/** 17 KB over many lines, with what an agent's composer takes for commands and files. */
function longMessage(first: string): string {
  const lines = Array.from(
    { length: 300 },
    (_, i) => `line ${i} of the message with @src/file-${i}.ts and 漢😀`,
  );
  return `${first}\n${lines.join("\n")}`;
}

async function tui(): Promise<{ terminals: Terminals; submitted(): string[] }> {
  const { folder, start } = await terminalFolders();
  const terminals = await start();
  const out = path.join(folder, "submitted");
  const command = `${process.execPath} ${TUI} ${out}`;
  await terminals.open(plainTerminal("a", folder, { command }));
  await shows(terminals, "a", "composer ready");
  return {
    terminals,
    submitted: () =>
      existsSync(out)
        ? readFileSync(out, "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as string)
        : [],
  };
}

describe("typing", () => {
  test("a 17 KB message of many lines is submitted once, the next one right after it too, in order", async () => {
    const { terminals, submitted } = await tui();
    const messages = [longMessage("/first"), "@second", longMessage("third"), "fourth\nof two lines"];
    expect(Buffer.byteLength(messages[0] ?? "")).toBeGreaterThan(17_000);
    await Promise.all(messages.map((text) => terminals.input("a", { text, enter: true })));
    await waitFor("four messages", () => submitted().length >= messages.length);
    expect(submitted()).toEqual(messages);
  });

  test("keys go between the text and Enter, each as the program's mode wants it", async () => {
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    await terminals.open(plainTerminal("a", folder));
    await atPrompt(terminals, "a");
    await terminals.input("a", { text: "cho typed", keys: ["home"], enter: false });
    await terminals.input("a", { text: "e", keys: ["end"], enter: true });
    await shows(terminals, "a", /\ntyped\n/);
    await terminals.input("a", {
      text: "stty raw -echo; printf '\\033[?1h'; head -c 6 | cat -v; stty sane",
      enter: true,
    });
    await waitFor("head", () => terminals.get("a")?.foreground === "head");
    await terminals.input("a", { keys: ["up", "left"] });
    await shows(terminals, "a", "^[OA^[OD");
  });

  test("stamps rise strictly, and inputs of several askers keep their order", async () => {
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    await terminals.open(plainTerminal("a", folder, { command: "cat > got" }));
    await waitFor("cat", () => terminals.get("a")?.foreground === "cat");
    const stamps = await Promise.all(
      Array.from({ length: 20 }, (_, i) => terminals.input("a", { text: `n${i}`, enter: true })),
    );
    const times = stamps.map(({ at }) => at);
    expect(times.every((at, i) => i === 0 || at > (times[i - 1] ?? 0))).toBe(true);
    const got = () => readFileSync(path.join(folder, "got"), "utf8");
    await waitFor("the last line", () => got().endsWith("n19\n"));
    expect(got()).toBe(Array.from({ length: 20 }, (_, i) => `n${i}\n`).join(""));
  });

  test("what does not fit a program that reads nothing is refused, and ctrl-c still gets through", async () => {
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    await terminals.open(plainTerminal("a", folder, { command: "sleep 1000" }));
    await waitFor("sleep", () => terminals.get("a")?.foreground === "sleep");
    await terminals.input("a", { keys: ["ctrl-c"] });
    await atPrompt(terminals, "a");
    await terminals.input("a", { text: "echo alive", enter: true });
    await shows(terminals, "a", /\nalive\n/);
  });
});

describe("a match", () => {
  test("finds a line that scrolled past between two asks, once per asker", async () => {
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    await terminals.open(plainTerminal("a", folder));
    await atPrompt(terminals, "a");
    const ask = { asker: "one", match: "^needle$", timeoutMs: 100 };
    expect(await terminals.wait("a", ask, never)).toMatchObject({ done: false });
    await terminals.input("a", { text: "echo needle; seq 1 3000", enter: true });
    await shows(terminals, "a", /\n3000\n/);
    expect(await terminals.wait("a", ask, never)).toMatchObject({ state: "matched", message: "needle" });
    expect(await terminals.wait("a", ask, never)).toMatchObject({ done: false });
    const other = { ...ask, asker: "two" };
    expect(await terminals.wait("a", other, never)).toMatchObject({ done: false });
  });

  test("with after looks at all that came since that input, and joins the rows of a long line", async () => {
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    await terminals.open(plainTerminal("a", folder, { cols: 20, rows: 10 }));
    await atPrompt(terminals, "a");
    const { at } = await terminals.input("a", {
      text: "printf 'x%.0s' {1..50}; echo y; seq 500",
      enter: true,
    });
    await shows(terminals, "a", /\n500\n/);
    const found = await terminals.wait("a", { asker: "t", after: at, match: "^x{50}y$" }, never);
    expect(found).toMatchObject({ state: "matched", message: `${"x".repeat(50)}y` });
    const later = await terminals.input("a", { text: "true", enter: true });
    const none = { asker: "t", after: later.at, match: "^x{50}y$", timeoutMs: 200 };
    expect(await terminals.wait("a", none, never)).toMatchObject({ done: false });
  });

  test("an abort ends a wait at once, and a notice of a program that runs ends one", async () => {
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    await terminals.open(plainTerminal("a", folder));
    await atPrompt(terminals, "a");
    const abort = new AbortController();
    const held = terminals.wait("a", { asker: "t", match: "never" }, abort.signal);
    abort.abort();
    expect(await held).toMatchObject({ done: false });
    const bells: string[] = [];
    terminals.on("bell", ({ id }) => bells.push(id));
    const { at } = await terminals.input("a", { text: "sleep 0.3; printf '\\a'; sleep 1000", enter: true });
    expect(await terminals.wait("a", { asker: "t", after: at }, never)).toMatchObject({ state: "notified" });
    expect(bells).toEqual(["a"]);
  });

  test("an agent's turn is what a wait is for while an agent is said to run there", async () => {
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    await terminals.open(plainTerminal("a", folder));
    await atPrompt(terminals, "a");
    terminals.agent("a", { state: "working", since: Date.now() });
    const held = terminals.wait("a", { asker: "t", after: 0 }, never);
    terminals.agent("a", { state: "permissionPending", since: Date.now(), message: "run rm?" });
    expect(await held).toEqual({ done: true, state: "permissionPending", message: "run rm?" });
    for (const state of ["completed", "needsInput", "error"] as const) {
      terminals.agent("a", { state, since: Date.now() });
      expect(await terminals.wait("a", { asker: "t" }, never)).toEqual({ done: true, state });
    }
    const future = { asker: "t", after: Date.now() + 60_000, timeoutMs: 50 };
    expect(await terminals.wait("a", future, never)).toMatchObject({ done: false });
    terminals.agent("a", undefined);
    expect(await terminals.wait("a", { asker: "t" }, never)).toMatchObject({ done: true, state: "idle" });
  });
});
