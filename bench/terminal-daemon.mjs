/** Terminals through the whole daemon: floods, reads, keys, idle cost, and what a flood does to others. */
import { execFileSync, fork } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { WebSocket, WebSocketServer } from "ws";
import { bytesReceived, median, quantile, startDaemon } from "./support/daemon.mjs";

export const title = "Terminals through the daemon";

const ROUNDS = 5;
const FLOOD_BYTES = 100_000_000;
const MiB = 1024 * 1024;

export async function run() {
  const daemon = await startDaemon();
  try {
    return [
      ...(await idle(daemon)),
      ...(await flood(daemon)),
      ...(await reads(daemon)),
      ...(await keys(daemon)),
      ...(await lists(daemon)),
      ...(await neighbours(daemon, "yes")),
      ...(await neighbours(daemon, "cat /dev/urandom")),
    ];
  } finally {
    await daemon.stop();
  }
}

async function openTerminal(daemon, client, command) {
  const { tabId } = await client.call("terminal.open", {
    workspaceId: daemon.workspaceId,
    ...(command ? { command } : {}),
  });
  return { workspaceId: daemon.workspaceId, tabId };
}

/** Resolves with the milliseconds until `probe` of the watched text is true, after `begin`. */
function until(client, tab, probe, begin) {
  return new Promise((resolve, reject) => {
    let start = 0;
    const watch = client.watchTerminal(
      { ...tab, lines: 1000 },
      {
        onChange: (text) => {
          if (start === 0) {
            start = performance.now();
            begin().catch(reject);
          } else if (probe(text)) {
            watch.close();
            resolve(performance.now() - start);
          }
        },
        onError: reject,
      },
    );
  });
}

/** `cat` of 100 MB with one watcher of 1,000 rows, to the last line at the client. */
async function flood(daemon) {
  const file = join(tmpdir(), `nexusd-bench-flood-${process.pid}`);
  const line = (i) => `${String(i).padStart(9)} compiled src/module/file.ts in ${i % 313} ms`.padEnd(99, ".");
  writeFileSync(file, Array.from({ length: FLOOD_BYTES / 100 }, (_, i) => line(i)).join("\n"));
  const peer = fork(fileURLToPath(new URL("support/forwarder.mjs", import.meta.url)));
  const { port } = await new Promise((resolve) => peer.once("message", resolve));
  const { client } = await daemon.device();
  const ours = [];
  const theirs = [];
  let wire = 0;
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await forwarded(port, file));
    const tab = await openTerminal(daemon, client);
    await client.call("terminal.wait", tab);
    const from = bytesReceived();
    ours.push(
      await until(
        client,
        tab,
        (text) => text.includes(`END-${round}-2`),
        () =>
          client.call("terminal.input", {
            ...tab,
            text: `cat ${file}; echo END-${round}-$((1+1))`,
            enter: true,
          }),
      ),
    );
    wire += bytesReceived() - from;
    await client.call("terminal.close", { ...tab, force: true });
  }
  peer.kill();
  client.close();
  rmSync(file);
  return [
    {
      what: "`cat` 100 MB to the watcher's last line / node-pty + ws forwarder",
      value: median(ours) / median(theirs),
      unit: "×",
      goal: "≤ 1.3 ×",
    },
    {
      what: "its bytes on the wire / the forwarder's",
      value: wire / ROUNDS / FLOOD_BYTES,
      unit: "×",
      goal: "≤ 0.12 ×",
    },
  ];
}

function forwarded(port, file) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
    let tail = "";
    let start = 0;
    socket.on("error", reject);
    socket.on("message", (data) => {
      tail = (tail + data.toString("latin1")).slice(-4096);
      if (start === 0) {
        start = performance.now();
        tail = "";
        socket.send(`cat ${file}; echo END-$((1+1))\r`);
      } else if (tail.includes("END-2")) {
        socket.close();
        resolve(performance.now() - start);
      }
    });
  });
}

/** 5,000 rows, warm, over the Unix socket, against tmux with as many. */
async function reads(daemon) {
  const { owner } = daemon;
  const tab = await openTerminal(daemon, owner, "seq 6000");
  await owner.call("terminal.wait", { ...tab, match: "^6000$" });
  const socket = `nexusd-bench-${process.pid}`;
  const tmux = (...args) =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { maxBuffer: 64 * MiB });
  tmux("new-session", "-d", "-x", "120", "-y", "40", "sh");
  tmux("set-option", "-g", "history-limit", "10000");
  tmux("new-window", "sh", "-c", "seq 6000; exec sleep 1000");
  await sleep(1000);
  const timed = async (action) => {
    const start = performance.now();
    await action();
    return performance.now() - start;
  };
  const [ours, captures, starts] = [[], [], []];
  await owner.call("terminal.read", { ...tab, lines: 5000 });
  for (let round = 0; round < 20; round++) {
    ours.push(await timed(() => owner.call("terminal.read", { ...tab, lines: 5000 })));
    captures.push(await timed(() => tmux("capture-pane", "-p", "-S", "-5000")));
    starts.push(await timed(() => tmux("display-message", "-p", "x")));
  }
  tmux("kill-server");
  await owner.call("terminal.close", { ...tab, force: true });
  return [
    {
      what: "read of 5,000 rows / `tmux capture-pane`",
      value: median(ours) / median(captures),
      unit: "×",
      goal: "≤ 0.3 ×",
    },
    {
      what: "the same, without tmux's process start",
      value: median(ours) / Math.max(0.1, median(captures) - median(starts)),
      unit: "×",
    },
  ];
}

/** A key typed at a prompt to its echo at the client, against a bare node-pty in this process. */
async function keys(daemon) {
  const { default: pty } = await import("node-pty");
  const { client } = await daemon.device();
  const tab = await openTerminal(daemon, client);
  await client.call("terminal.wait", tab);
  let wake = () => undefined;
  let text = "";
  const watch = client.watchTerminal(tab, {
    onChange: (now) => {
      text = now;
      wake();
    },
  });
  const shell = pty.spawn("/bin/bash", ["--norc"], { cols: 120, rows: 40, env: daemon.env });
  let raw = () => undefined;
  shell.onData(() => raw());
  await sleep(1500);
  const [ours, theirs] = [[], []];
  for (let i = 0; i < 200; i++) {
    const letter = "abcdefghij"[i % 10];
    const before = text;
    const start = performance.now();
    const shown = new Promise((resolve) => {
      wake = () => text !== before && resolve();
    });
    void client.call("terminal.input", { ...tab, text: letter });
    await shown;
    ours.push(performance.now() - start);
    const rawStart = performance.now();
    const echoed = new Promise((resolve) => {
      raw = resolve;
    });
    shell.write(letter);
    await echoed;
    theirs.push(performance.now() - rawStart);
    await sleep(45); // a typist, not a flood
  }
  watch.close();
  shell.kill("SIGKILL");
  await client.call("terminal.close", { ...tab, force: true });
  client.close();
  return [
    {
      what: "key to update, sealed, p50 / raw node-pty echo",
      value: quantile(ours, 0.5) / quantile(theirs, 0.5),
      unit: "×",
      goal: "≤ 2 ×",
    },
    { what: "the same, p50", value: quantile(ours, 0.5), unit: "ms" },
    { what: "the same, p99", value: quantile(ours, 0.99), unit: "ms" },
    { what: "raw node-pty echo, p99", value: quantile(theirs, 0.99), unit: "ms" },
  ];
}

const PIPELINED = 16;
const LISTS = 4000;

/** Calls a second of one sealed link against the same JSON over a plain WebSocket. */
async function lists(daemon) {
  const { client } = await daemon.device();
  const answer = JSON.stringify(await client.call("sessions.list", {}));
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  server.on("connection", (socket) =>
    socket.on("message", (data) => {
      const { id } = JSON.parse(data.toString());
      socket.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${answer}}`);
    }),
  );
  await new Promise((resolve) => server.once("listening", resolve));
  const plain = new WebSocket(`ws://127.0.0.1:${server.address().port}`, { perMessageDeflate: false });
  await new Promise((resolve) => plain.once("open", resolve));
  const waiting = new Map();
  plain.on("message", (data) => {
    const { id, result } = JSON.parse(data.toString());
    waiting.get(id)(result);
    waiting.delete(id);
  });
  let next = 0;
  const callPlain = () =>
    new Promise((resolve) => {
      const id = `plain-${next++}`;
      waiting.set(id, resolve);
      plain.send(JSON.stringify({ jsonrpc: "2.0", id, method: "sessions.list", params: {} }));
    });
  const rate = async (call) => {
    const start = performance.now();
    const lane = async () => {
      for (let i = 0; i < LISTS / PIPELINED; i++) await call();
    };
    await Promise.all(Array.from({ length: PIPELINED }, lane));
    return LISTS / (performance.now() - start);
  };
  const ratios = [];
  for (let round = 0; round < ROUNDS; round++) {
    const floor = await rate(callPlain);
    ratios.push((await rate(() => client.call("sessions.list", {}))) / floor);
  }
  plain.close();
  server.close();
  client.close();
  return [
    {
      what: "sealed `sessions.list` a second, one link / the same JSON over plain ws",
      value: median(ratios),
      unit: "×",
      goal: "≥ 0.4 ×",
    },
  ];
}

/** What others feel while one terminal floods with what `command` prints. */
async function neighbours(daemon, command) {
  const { client } = await daemon.device();
  const flooding = await openTerminal(daemon, client, command);
  const quiet = await openTerminal(daemon, client);
  const floodWatch = client.watchTerminal({ ...flooding, lines: 1000 }, { onChange: () => undefined });
  let seen = "";
  let wake = () => undefined;
  const watch = client.watchTerminal(quiet, {
    onChange: (text) => {
      seen = text;
      wake();
    },
  });
  await sleep(2000);
  const [calls, updates] = [[], []];
  for (let i = 0; i < 200; i++) {
    let start = performance.now();
    await client.call("sessions.list", {});
    calls.push(performance.now() - start);
    const before = seen;
    start = performance.now();
    const shown = new Promise((resolve) => {
      wake = () => seen !== before && resolve();
    });
    void client.call("terminal.input", { ...quiet, text: "x" });
    await shown;
    updates.push(performance.now() - start);
    await sleep(40);
  }
  floodWatch.close();
  watch.close();
  for (const tab of [flooding, quiet]) await client.call("terminal.close", { ...tab, force: true });
  client.close();
  return [
    {
      what: `beside \`${command}\`: another link-mate's \`sessions.list\`, p99`,
      value: quantile(calls, 0.99),
      unit: "ms",
      goal: "< 100 ms",
    },
    {
      what: `beside \`${command}\`: another watch's update, p99`,
      value: quantile(updates, 0.99),
      unit: "ms",
      goal: "< 100 ms",
    },
  ];
}

/** Fifty shells at their prompts. */
async function idle(daemon) {
  const tabs = [];
  for (let i = 0; i < 50; i++) tabs.push(await openTerminal(daemon, daemon.owner));
  await sleep(4000);
  const host = hostPid(daemon);
  const cpu = () => cpuMs(daemon.pid) + cpuMs(host);
  const before = cpu();
  await sleep(10_000);
  const rows = [
    {
      what: "50 idle shells: CPU of nexusd and host over 10 s",
      value: cpu() - before,
      unit: "ms",
      goal: "≤ 20 ms",
    },
    { what: "50 idle shells: RSS of nexusd", value: rssMiB(daemon.pid), unit: "MiB", goal: "≤ 120 MiB" },
    { what: "50 idle shells: RSS of the host", value: rssMiB(host), unit: "MiB" },
  ];
  for (const tab of tabs) await daemon.owner.call("terminal.close", { ...tab, force: true });
  return rows;
}

const TICK_MS = 10;

function cpuMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function rssMiB(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}

/** The terminal host of a daemon: it runs from that daemon's state folder. */
function hostPid(daemon) {
  return Number(execFileSync("pgrep", ["-f", `^[^ ]+ ${daemon.env.HOME}/.*host.mjs`], { encoding: "utf8" }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
