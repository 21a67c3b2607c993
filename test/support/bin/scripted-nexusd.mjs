// A real daemon whose agents follow a script: each message is written down and
// answered, and goes on to where routes.json in HOME says, by the tab's own socket.

import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startDaemon } from "../../../dist/server/daemon.js";

const home = process.env.HOME;
const log = (entry) => appendFileSync(join(home, "agents.jsonl"), `${JSON.stringify(entry)}\n`);

function routes() {
  const file = join(home, "routes.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** One request on the agents' socket, to this daemon or through it to another. */
function request(env, device, method, params) {
  return new Promise((resolve, reject) => {
    const socket = connect(env.NEXUS_SOCKET);
    const id = randomUUID();
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the socket closed")));
    socket.write(`${JSON.stringify({ token: env.NEXUS_TOKEN, ...(device ? { device } : {}) })}\n`);
    socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    createInterface({ input: socket }).on("line", (line) => {
      const answer = JSON.parse(line);
      if (answer.id !== id) return;
      socket.destroy();
      if (answer.error) reject(Object.assign(new Error(answer.error.message), answer.error));
      else resolve(answer.result);
    });
  });
}

class Session {
  #spec;
  #turns = 0;
  constructor(spec) {
    this.#spec = spec;
  }
  async start() {}
  async send(message) {
    const { tabId, emit, tabEnv } = this.#spec;
    log({ tabId, got: message.text, from: message.from ?? null });
    emit({ type: "taken", messageId: message.id });
    const route = routes()[tabId] ?? routes()["*"];
    if (route === "hold") return;
    if (route) await this.#pass(route, tabEnv, tabId);
    emit({ type: "text", kind: "text", key: `t${++this.#turns}`, text: "done", streaming: false });
    emit({ type: "turn-ended", end: { result: "done" } });
  }
  async #pass(route, env, tabId) {
    const { device, method = "chat.send", params } = route;
    try {
      const result = await request(env, device, method, params);
      log({ tabId, sent: method, to: params.tabId ?? params.workspaceId, result });
    } catch (error) {
      log({ tabId, refused: error.message, code: error.code, why: error.data?.why });
    }
  }
  async interrupt() {
    this.#spec.emit({ type: "turn-ended", end: { result: "interrupted" } });
  }
  async answer() {}
  async configure() {}
  async stopTask() {}
  async rename() {}
  async compact() {}
  busy() {
    return false;
  }
  async close() {}
}

const driver = {
  open: (spec) => new Session(spec),
  options: async () => ({
    models: [{ id: "default", label: "Default", aliases: [], efforts: [] }],
    modes: [
      { id: "default", label: "Ask" },
      { id: "edits", label: "Accept edits" },
      { id: "everything", label: "Everything", dangerous: true },
    ],
    commands: [],
  }),
  defaults: () => ({ model: null, effort: null, permissionMode: "default" }),
  history: async () => [],
  findPast: async () => undefined,
  readPast: async () => ({ events: [], skippedBytes: 0, cursor: 0 }),
  position: async () => undefined,
  recall: async () => undefined,
  recallMessage: async () => undefined,
  wasTaken: async () => false,
  trust: async () => ({ trusted: true, wouldRun: [] }),
  secrets: () => [],
  close: async () => {},
};

const [, , , folder] = process.argv;
const daemon = await startDaemon({ folder, port: 0, host: "127.0.0.1", drivers: () => driver });
process.on("SIGTERM", () => void daemon.close({ keepTerminals: true }));
process.stdout.write(`${JSON.stringify({ url: daemon.url, port: daemon.port, pid: daemon.pid })}\n`);
await daemon.ended;
process.exit(0);
