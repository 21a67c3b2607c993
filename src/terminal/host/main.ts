/** The terminal host's entry: reads its arguments, starts the host, and keeps it from ending by accident. */
import { parseArgs } from "node:util";
import { Host } from "./host.js";
import { HostLog } from "./log.js";

const { values } = parseArgs({
  options: {
    id: { type: "string" },
    build: { type: "string" },
    socket: { type: "string" },
    binding: { type: "string" },
    log: { type: "string" },
    "idle-ms": { type: "string" },
  },
});

function required(name: "id" | "build" | "socket" | "binding" | "log"): string {
  const value = values[name];
  if (value === undefined) throw new Error(`The terminal host is started by nexusd: --${name} is missing`);
  return value;
}

const log = new HostLog(required("log"));

// One fault must not end a hundred programs: it is written down, and the others go on.
process.on("uncaughtException", (error) => log.write("uncaught", error));
process.on("unhandledRejection", (error) => log.write("unhandled", error));
// A signal to its group, or a desk that logs out, is not meant for the programs in it.
process.on("SIGHUP", () => undefined);
process.on("SIGINT", () => undefined);

/** The one line that nexusd waits for; after it nothing is written there, whoever still listens. */
function report(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
process.stdout.on("error", () => undefined); // nexusd died while it waited

try {
  const host = await Host.start({
    id: required("id"),
    build: required("build"),
    socket: required("socket"),
    bindingFile: required("binding"),
    log,
    ...(values["idle-ms"] === undefined ? {} : { idleMs: Number(values["idle-ms"]) }),
    ended: () => process.exit(0),
  });
  process.on("SIGTERM", () => void host.stop());
  report({ ready: true });
} catch (error) {
  log.write("start", error);
  report({ error: (error as Error).message });
  process.exitCode = 1;
}
