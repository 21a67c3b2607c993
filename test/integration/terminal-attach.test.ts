import { describe, expect, test } from "vitest";
import type { TerminalAttachment, Terminals } from "../../src/terminal/client.js";
import { Screen } from "../../src/terminal/screen.js";
import { atPrompt, plainTerminal, shows, terminalFolders } from "../support/terminal-host.js";
import { waitFor } from "../support/wait-for.js";

interface Desk {
  readonly attached: TerminalAttachment;
  readonly screen: Screen;
  bytes(): string;
  ended(): string | undefined;
}

/** A window at the desk: an emulator of its own that answers what it is asked. */
async function desk(terminals: Terminals, id: string, cols = 80, rows = 24): Promise<Desk> {
  let bytes = "";
  let why: string | undefined;
  let attached: TerminalAttachment | undefined;
  const silent = { title: noop, bell: noop, notify: noop, mark: noop, parsed: noop };
  const answer = (data: string): void => attached?.write(Buffer.from(data));
  const screen = new Screen({ cols, rows, reply: answer }, silent);
  attached = await terminals.attach(id, {
    cols,
    rows,
    onData(chunk) {
      bytes += chunk.toString("latin1");
      screen.write(Buffer.from(chunk));
    },
    onEnd(reason) {
      why = reason;
    },
  });
  return { attached, screen, bytes: () => bytes, ended: () => why };
}

function noop(): void {}

async function opened(command?: string): Promise<Terminals> {
  const { folder, start } = await terminalFolders();
  const terminals = await start();
  await terminals.open(plainTerminal("a", folder, command === undefined ? {} : { command }));
  if (command === undefined) await atPrompt(terminals, "a");
  return terminals;
}

async function size(terminals: Terminals): Promise<string> {
  const mark = `m${performance.now()}`;
  await terminals.input("a", { text: `stty size; echo ${mark}`, enter: true });
  const text = await shows(terminals, "a", new RegExp(`\\n${mark}\\n`), 200);
  return new RegExp(`(\\d+ \\d+)\\n${mark}\\n`).exec(text)?.[1] ?? "";
}

describe("a window at the desk", () => {
  test("shows the screen as it is, then every byte, and what it types is run", async () => {
    const terminals = await opened("printf 'earlier \\033[31mred\\033[0m\\n'");
    await shows(terminals, "a", "earlier red");
    await atPrompt(terminals, "a");
    const window = await desk(terminals, "a");
    await waitFor("the picture", () => window.screen.read({}).includes("earlier red"));
    window.attached.write(Buffer.from("echo typed-$((1+1))\r"));
    await waitFor("its echo", () => window.screen.read({}).includes("typed-2"));
    await waitFor("the same screen", async () => {
      const own = await terminals.read("a", { lines: 24, ansi: true });
      return window.screen.read({ lines: 24, ansi: true }) === own;
    });
    window.attached.detach();
  });

  test("gives the terminal its size while attached; the last one to attach or resize counts", async () => {
    const terminals = await opened();
    expect(await size(terminals)).toBe("40 120");
    const first = await desk(terminals, "a", 100, 30);
    expect(await size(terminals)).toBe("30 100");
    const second = await desk(terminals, "a", 90, 20);
    expect(await size(terminals)).toBe("20 90");
    first.attached.resize(101, 31);
    expect(await size(terminals)).toBe("31 101");
    first.attached.detach();
    expect(await size(terminals)).toBe("20 90");
    second.attached.detach();
    expect(await size(terminals)).toBe("40 120");
  });

  test("a storm of sizes settles to the last one, and sizes of no window are refused", async () => {
    const terminals = await opened();
    const window = await desk(terminals, "a");
    for (let i = 0; i < 100; i++) window.attached.resize(60 + (i % 40), 20 + (i % 7));
    window.attached.resize(77, 22);
    expect(await size(terminals)).toBe("22 77");
    for (const [cols, rows] of [
      [0, 0],
      [1, 1],
      [65_535, 65_535],
      [80.5, 24],
    ] as const) {
      await expect(desk(terminals, "a", cols, rows)).rejects.toMatchObject({ code: -32602 });
    }
    expect(await size(terminals)).toBe("22 77");
  });

  test("the crash of one gives the size back and leaves the other", async () => {
    const { folder, start } = await terminalFolders();
    const staying = await start();
    await staying.open(plainTerminal("a", folder));
    await atPrompt(staying, "a");
    const crashing = await start();
    const kept = await desk(staying, "a", 90, 25);
    await desk(crashing, "a", 70, 20);
    expect(await size(staying)).toBe("20 70");
    crashing.dispose();
    await waitFor("the size", async () => (await size(staying)) === "25 90");
    await waitFor("the other's window", () => kept.screen.read({}).includes("25 90"));
  });

  test.each([0, 1, 3])(
    "a program's questions are answered once with %i windows attached",
    async (windows) => {
      const terminals = await opened();
      const desks = await Promise.all(Array.from({ length: windows }, () => desk(terminals, "a")));
      const ask = String.raw`printf '\033[c\033[6n\033[?2004$p\033[>q\033]10;?\007'`;
      const show = "timeout 1 cat -v; stty sane; echo; echo asked";
      await terminals.input("a", { text: `stty raw -echo; ${ask}; ${show}`, enter: true });
      const text = (await shows(terminals, "a", /\nasked\n/)).split("\n").join("");
      expect(text.match(/\^\[\[\?1;2c/g)).toHaveLength(1);
      expect(text.match(/\^\[\[\d+;\d+R/g)).toHaveLength(1);
      expect(text.match(/\^\[\[\?2004;\d\$y/g)).toHaveLength(1);
      expect(text).not.toMatch(/rgb:|XTerm|>\|/);
      for (const window of desks)
        expect(window.bytes()).not.toMatch(/\x1b\[c|\x1b\[6n|\x1b\[\?2004\$p|\x1b\]10;\?/);
    },
  );

  test("brings back a full-screen program's buffer and modes, and the shell's screen after it", async () => {
    const terminals = await opened("echo before");
    await shows(terminals, "a", /\nbefore\n/);
    const program = String.raw`printf '\033[?1049h\033[?2004h\033[?1h\033[?1002h\033[5;7Hfull screen'; read x; printf '\033[?1049l\033[?1002l'`;
    await terminals.input("a", { text: program, enter: true });
    await shows(terminals, "a", "full screen");
    const window = await desk(terminals, "a");
    await waitFor("the picture", () => window.screen.read({}).includes("full screen"));
    expect(window.screen.modes).toMatchObject({
      alternate: true,
      bracketedPaste: true,
      applicationCursor: true,
    });
    expect(window.bytes()).toContain("\x1b[?1002h");
    await terminals.input("a", { enter: true });
    await waitFor("the shell", () => !window.screen.modes.alternate);
    expect(await shows(terminals, "a", "before")).not.toMatch(/^ +full screen/m);
  });

  test("a window that takes nothing gets the screen again when it does, and holds nobody", async () => {
    const terminals = await opened();
    let open: () => void = () => undefined;
    const shut = new Promise<void>((resolve) => {
      open = resolve;
    });
    let bytes = 0;
    let last = "";
    const attached = await terminals.attach("a", {
      cols: 80,
      rows: 24,
      async onData(chunk) {
        await shut;
        bytes += chunk.length;
        last = (last + chunk.toString("latin1")).slice(-5000);
      },
      onEnd: noop,
    });
    await terminals.input("a", { text: "seq 1 900000", enter: true });
    await shows(terminals, "a", /\n900000\n/);
    open();
    await waitFor("the last row", () => last.includes("900000"));
    expect(bytes).toBeLessThan(3_000_000);
    attached.detach();
  });

  test("is told when the program ends", async () => {
    const terminals = await opened();
    const window = await desk(terminals, "a");
    window.attached.write(Buffer.from("exit\r"));
    await waitFor("the end", () => window.ended());
    expect(window.ended()).toMatch(/ended/);
    await expect(desk(terminals, "a")).rejects.toThrow(/has ended/);
  });
});
