/** A daemon of its own HOME for a bench, and clients to it over the sealed link and the Unix socket. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { connectDevice, NexusClient, pairDevice } from "../../dist/client/index.js";
import { connectLocal } from "../../dist/client/local.js";
import { nodeCipher } from "../../dist/server/node-cipher.js";
import { resolvePaths } from "../../dist/server/paths.js";

const NEXUSD = fileURLToPath(new URL("../../dist/cli/nexusd.js", import.meta.url));

/** Sockets of this process's sealed links, to count what they received. */
const sockets = [];

class CountedWebSocket extends WebSocket {
  constructor(...args) {
    super(...args);
    sockets.push(this);
  }
}

/** Bytes that all sealed links of this process received so far. */
export function bytesReceived() {
  return sockets.reduce((sum, socket) => sum + (socket._socket?.bytesRead ?? 0), 0);
}

export const CAPABILITIES = [
  "sessions",
  "chat.read",
  "chat.control",
  "terminal.read",
  "terminal.control",
  "files",
  "git",
];

export async function startDaemon() {
  const home = mkdtempSync(join(tmpdir(), "nexusd-bench-"));
  const folder = join(home, "project");
  mkdirSync(folder);
  mkdirSync(join(home, "run"), { mode: 0o700 });
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
    XDG_RUNTIME_DIR: join(home, "run"),
  };
  const child = spawn(process.execPath, [NEXUSD, "serve", folder, "--json", "--port", "0"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const first = await new Promise((resolve) =>
    createInterface({ input: child.stdout }).once("line", resolve),
  );
  const { port, pid } = JSON.parse(first);
  const owner = new NexusClient({ connect: connectLocal({ path: resolvePaths(env).ownerSocket }) }).start();
  await owner.whenReady();
  const { workspaces } = await owner.call("sessions.list", {});
  const workspaceId = workspaces.find((workspace) => workspace.path.endsWith("/project")).id;
  return {
    folder,
    port,
    pid,
    owner,
    workspaceId,
    env,
    async device() {
      const { link } = await owner.request("owner.pair", { yes: CAPABILITIES });
      const local = link.replace(/^http:\/\/[^/]+\//, `http://127.0.0.1:${port}/`);
      const pairing = await pairDevice({ link: local, name: "bench", kind: "cli", wants: [], WebSocket });
      const record = await pairing.approved;
      const client = new NexusClient({
        connect: connectDevice(record, { WebSocket: CountedWebSocket, client: "bench", cipher: nodeCipher }),
      });
      client.start();
      await client.whenReady();
      return { client, record };
    },
    async stop() {
      await owner.request("owner.stop", { force: true });
      owner.close();
      await new Promise((resolve) => (child.exitCode === null ? child.once("exit", resolve) : resolve()));
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
