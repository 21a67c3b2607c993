/** Shell integration on real shells: each knows its prompt, its commands and their exit codes. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Terminals } from "../../src/terminal/client.js";
import type { OpenTerminal, Shell } from "../../src/terminal/types.js";
import {
  atPrompt,
  BASH,
  interrupt,
  plainTerminal,
  SH,
  shows,
  terminalFolders,
} from "../support/terminal-host.js";
import { waitFor } from "../support/wait-for.js";

const never = new AbortController().signal;
const ZSH: Shell = { id: "zsh", name: "zsh", path: "/usr/bin/zsh", isDefault: false };
const FISH: Shell = { id: "fish", name: "fish", path: "/usr/bin/fish", isDefault: false };

async function opened(
  shell: Shell,
  files: Record<string, string> = {},
  more: (home: string) => Partial<OpenTerminal> = () => ({}),
): Promise<{ terminals: Terminals; home: string }> {
  const { folder, start } = await terminalFolders();
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text.replaceAll("HOME_FOLDER", folder));
    if (text.startsWith("#!")) chmodSync(file, 0o755);
  }
  // zsh asks a new user questions when it finds no .zshrc at all.
  if (files[".zshrc"] === undefined) writeFileSync(path.join(folder, ".zshrc"), "");
  // fish writes completions in the background for a new user.
  mkdirSync(path.join(folder, ".local/share/fish/generated_completions"), { recursive: true });
  const terminals = await start();
  await terminals.open(plainTerminal("a", folder, { shell, ...more(folder) }));
  await atPrompt(terminals, "a");
  return { terminals, home: folder };
}

/** Types a command and waits until it is through. */
async function ran(terminals: Terminals, text: string): Promise<void> {
  const { at } = await terminals.input("a", { text, enter: true });
  await waitFor(`the end of ${text}`, async () => {
    const result = await terminals.wait("a", { asker: "t", after: at }, never);
    return result.state === "idle";
  });
}

describe.each([BASH, ZSH, FISH])("$name", (shell) => {
  test("knows that a command runs, that it ended, and with which code", async () => {
    const { terminals } = await opened(shell);
    const { at } = await terminals.input("a", { text: "sleep 0.5; sh -c 'exit 3'", enter: true });
    await waitFor("the command", () => terminals.get("a")?.phase === "running");
    expect(await terminals.wait("a", { asker: "t", after: at, timeoutMs: 20 }, never)).toMatchObject({
      done: false,
      state: "waiting",
    });
    const result = await terminals.wait("a", { asker: "t", after: at }, never);
    expect(result).toMatchObject({ done: true, state: "idle" });
    const { lastCommand } = (await atPrompt(terminals, "a")) ?? {};
    expect(lastCommand).toMatchObject({ exitCode: 3 });
    expect((lastCommand?.endedAt ?? 0) - (lastCommand?.startedAt ?? 0)).toBeGreaterThanOrEqual(450);
  });

  test("stays busy in a loop of builtins that no process table shows", async () => {
    const { terminals } = await opened(shell);
    const loop = shell === FISH ? "while true; set x 1; end" : "while true; do x=1; done";
    const { at } = await terminals.input("a", { text: loop, enter: true });
    await waitFor("the loop", () => terminals.get("a")?.phase === "running");
    const result = await terminals.wait("a", { asker: "t", after: at, timeoutMs: 1500 }, never);
    expect(result).toMatchObject({ done: false, state: "waiting" });
    await expect(terminals.close("a", {})).rejects.toThrow(/still runs/);
    await terminals.input("a", { keys: ["ctrl-c"] });
    await atPrompt(terminals, "a");
  });

  test("is at its prompt with a stopped and a background job, which close names", async () => {
    const { terminals } = await opened(shell);
    await ran(terminals, "sleep 1000 &");
    expect(terminals.get("a")?.phase).toBe("prompt");
    await expect(terminals.close("a", {})).rejects.toThrow(/sleep still runs/);
    await terminals.input("a", { text: "cat", enter: true });
    await waitFor("cat", () => terminals.get("a")?.foreground === "cat");
    await terminals.input("a", { keys: ["ctrl-z"] });
    await atPrompt(terminals, "a");
  });

  test("nothing has run after an input without Enter; an empty line counts as run", async () => {
    const { terminals } = await opened(shell);
    const typed = await terminals.input("a", { text: "echo half" });
    const wait = { asker: "t", after: typed.at, timeoutMs: 300 };
    expect(await terminals.wait("a", wait, never)).toMatchObject({ done: false, state: "notStarted" });
    await terminals.input("a", { keys: ["ctrl-c"] });
    const empty = await terminals.input("a", { enter: true });
    expect(await terminals.wait("a", { asker: "t", after: empty.at }, never)).toMatchObject({
      state: "idle",
    });
  });

  test("goes on rightly after exec of another shell", async () => {
    const { terminals } = await opened(shell);
    await terminals.input("a", { text: "exec bash --norc --noprofile", enter: true });
    await shows(terminals, "a", /bash-5/);
    await atPrompt(terminals, "a");
    await terminals.input("a", { text: "sleep 1000", enter: true });
    await waitFor("sleep", () => terminals.get("a")?.foreground === "sleep");
    expect(terminals.get("a")?.phase).toBe("running");
    await terminals.input("a", { keys: ["ctrl-c"] });
    await atPrompt(terminals, "a");
  });

  test("a nested shell counts as a program that runs", async () => {
    const { terminals } = await opened(shell);
    await terminals.input("a", { text: "bash --norc", enter: true });
    await shows(terminals, "a", /bash-5/);
    await waitFor("the nested shell", () => terminals.get("a")?.phase === "running");
    await terminals.input("a", { text: "true", enter: true });
    await expect(terminals.close("a", {})).rejects.toThrow(/bash still runs/);
    await ran(terminals, "exit");
    expect(terminals.get("a")?.phase).toBe("prompt");
  });

  test("a program that prints our marks does not pass for the shell", async () => {
    const { terminals } = await opened(shell);
    const marks = String.raw`printf '\033]133;D;0\007\033]133;C\007'; sleep 1000`;
    await terminals.input("a", { text: marks, enter: true });
    await waitFor("sleep", () => terminals.get("a")?.foreground === "sleep");
    expect(terminals.get("a")?.phase).toBe("running");
  });

  test("leaves no trace of itself in what its programs inherit", async () => {
    const { terminals } = await opened(shell);
    await ran(terminals, "env | grep -c -e NEXUS_SHELL -e NEXUS_USER -e '^ZDOTDIR' -e nexus=; echo done");
    expect(await shows(terminals, "a", /\ndone\n/)).toMatch(/\n0\ndone\n/);
  });

  test("tmux inside is a program that runs, and its end is seen", async () => {
    const { terminals, home } = await opened(shell);
    await terminals.input("a", { text: `tmux -S ${home}/tmux -f /dev/null new-session sh`, enter: true });
    await waitFor("tmux", () => terminals.get("a")?.foreground?.startsWith("tmux"));
    await shows(terminals, "a", /\[0\]/);
    expect(terminals.get("a")?.phase).toBe("running");
    const { at } = await terminals.input("a", { text: "exit", enter: true });
    expect(await terminals.wait("a", { asker: "t", after: at }, never)).toMatchObject({ state: "idle" });
  });
});

describe("the user's own files", () => {
  test("bash reads ~/.bashrc, keeps a PROMPT_COMMAND of text, and a framework that sets PS1 at each prompt", async () => {
    const rc = `
      export FROM_RC=yes
      framework() { last=$?; PS1="[$last] "; }
      PROMPT_COMMAND='framework;'
    `;
    const { terminals } = await opened(BASH, { ".bashrc": rc });
    await ran(terminals, "(exit 5)");
    expect(await terminals.read("a", {})).toMatch(/\n\[5\]/);
    await ran(terminals, "echo rc-$FROM_RC");
    await shows(terminals, "a", "rc-yes");
    expect(terminals.get("a")?.lastCommand).toMatchObject({ exitCode: 0 });
  });

  test("bash keeps a PROMPT_COMMAND that is a list, set -u, and a DEBUG trap", async () => {
    const rc = `
      set -u
      PROMPT_COMMAND=('one=1' 'two=2')
      trap 'seen="$BASH_COMMAND"' DEBUG
    `;
    const { terminals } = await opened(BASH, { ".bashrc": rc });
    await ran(terminals, "echo sum-$((one+two))");
    expect(await terminals.read("a", {})).toContain("sum-3");
    expect(await terminals.read("a", {})).not.toContain("unbound");
  });

  test("bash still knows its prompt when PROMPT_COMMAND is replaced later", async () => {
    const { terminals } = await opened(BASH);
    await ran(terminals, "PROMPT_COMMAND=true");
    await ran(terminals, "sleep 0.2");
    expect(terminals.get("a")?.phase).toBe("prompt");
    await terminals.input("a", { text: "sleep 1000", enter: true });
    await waitFor("sleep", () => terminals.get("a")?.phase === "running");
  });

  test("a .bashrc that execs another shell leaves a terminal that works", async () => {
    const { terminals } = await opened(BASH, { ".bashrc": "exec zsh -f\n" });
    await ran(terminals, "echo $ZSH_NAME-here");
    expect(await terminals.read("a", {})).toContain("zsh-here");
  });

  test("zsh reads all of the user's files, from the user's ZDOTDIR, and keeps hooks that set the prompt", async () => {
    const files = {
      "dot/.zshenv": "export ENV_SEEN=1\n",
      "dot/.zshrc":
        "export RC_SEEN=$ENV_SEEN$ZDOTDIR\nset_prompt() { PS1='[%?] ' }\nprecmd_functions+=(set_prompt)\n",
    };
    const { terminals, home } = await opened(ZSH, files, (folder) => ({
      env: { ...plainTerminal("a", folder).env, ZDOTDIR: path.join(folder, "dot") },
    }));
    await ran(terminals, "echo seen-$RC_SEEN");
    expect(await terminals.read("a", {})).toContain(`seen-1${home}/dot`);
    await ran(terminals, "(exit 4)");
    expect(await terminals.read("a", {})).toMatch(/\n\[4\]/);
    expect(terminals.get("a")?.lastCommand).toMatchObject({ exitCode: 4 });
  });

  test("fish reads config.fish first", async () => {
    const { terminals } = await opened(FISH, {
      ".config/fish/config.fish": "set -gx FROM_CONFIG yes\nfunction fish_prompt; echo -n '> '; end\n",
    });
    await ran(terminals, "echo config-$FROM_CONFIG");
    expect(await terminals.read("a", {})).toContain("config-yes");
  });

  test("no file of the user's is made or changed", async () => {
    const { terminals, home } = await opened(BASH, { ".bashrc": "# mine\n" });
    await ran(terminals, "ls -A | grep -v -e state -e run");
    expect(readFileSync(path.join(home, ".bashrc"), "utf8")).toBe("# mine\n");
    expect(readdirSync(home).sort()).toEqual([".bashrc", ".local", ".zshrc", "run", "state"]);
  });
});

describe("a shell without marks", () => {
  test("is at its prompt when it alone has the terminal, and runs while a program does", async () => {
    const { terminals } = await opened(SH);
    const { at } = await terminals.input("a", { text: "sleep 0.7", enter: true });
    await waitFor("sleep", () => terminals.get("a")?.foreground === "sleep");
    expect(await terminals.wait("a", { asker: "t", after: at }, never)).toMatchObject({ state: "idle" });
    const { lastCommand } = (await atPrompt(terminals, "a")) ?? {};
    expect((lastCommand?.endedAt ?? 0) - (lastCommand?.startedAt ?? 0)).toBeGreaterThan(300);
    const nothing = await terminals.input("a", { text: "half" });
    const wait = { asker: "t", after: nothing.at, timeoutMs: 200 };
    expect(await terminals.wait("a", wait, never)).toMatchObject({ done: false });
  });
});

describe("a root program that is no shell", () => {
  test("is idle when it was quiet for 2 s, or for what the wait says", async () => {
    const { terminals } = await opened(BASH);
    await terminals.input("a", { text: "exec cat", enter: true });
    await waitFor("cat", () => terminals.get("a")?.foreground === "cat");
    const began = Date.now();
    const typed = await terminals.input("a", { text: "hello", enter: true });
    expect(await terminals.wait("a", { asker: "t", after: typed.at }, never)).toMatchObject({
      state: "idle",
    });
    expect(Date.now() - began).toBeGreaterThanOrEqual(1900);
    const again = await terminals.input("a", { text: "hello", enter: true });
    const quick = { asker: "t", after: again.at, quietMs: 200 };
    expect(await terminals.wait("a", quick, never)).toMatchObject({ done: true, state: "idle" });
    await expect(terminals.close("a", {})).rejects.toThrow(/cat still runs/);
  });
});

describe.each([BASH, ZSH, FISH])("D1 in $name", (shell) => {
  test.each([
    ["a marker and an Enter", (file: string) => `x\x1b[201~\rtouch ${file}\r`],
    ["a marker inside a marker", (file: string) => `x\x1b[20\x1b[201~1~\rtouch ${file}\r`],
    ["the marker's 8-bit form", (file: string) => `x\u009b201~\rtouch ${file}\r`],
    ["an interrupt", (file: string) => `x\x03touch ${file}\n\x1b[201~\n`],
    ["an end of file and line feeds", (file: string) => `\x04\x0d\x0atouch ${file}\x0d\x0a`],
  ])("a paste does not break out of its frame: %s", async (_name, payload) => {
    const { terminals, home } = await opened(shell);
    await waitFor("the mode", async () => (await terminals.inputModes("a")).bracketedPaste);
    const file = path.join(home, "broken-out");
    await terminals.input("a", { text: payload(file) });
    await waitFor("its echo", async () =>
      (await terminals.read("a", {})).replaceAll("\n", "").includes("broken-out"),
    );
    await interrupt(terminals, "a");
    await ran(terminals, "echo after");
    await shows(terminals, "a", /\nafter\n/);
    expect(readdirSync(home)).not.toContain("broken-out");
  });
});
