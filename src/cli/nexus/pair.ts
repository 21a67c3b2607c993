/** nexus pair and nexus devices: the daemons that this user is paired with. */
import { hostname } from "node:os";
import { type Command, Option } from "commander";
import { WebSocket } from "ws";
import type { DeviceRecord } from "../../client/device-record.js";
import { pairDevice } from "../../client/pairing.js";
import { CAPABILITIES, type Capability, isCapability } from "../../protocol/capabilities.js";
import { jsonOption, timeoutOption } from "../command.js";
import { readEnv } from "../env.js";
import { interrupted, usage } from "../exit.js";
import { MAX_LINK_CHARS } from "../limits.js";
import { createOutput, type Output } from "../output.js";
import { ask, canAsk, firstLineOfInput } from "../prompt.js";
import { checkRecordName, listRecords, recordNameFor, saveRecord } from "../records.js";

interface PairOptions {
  readonly name?: string;
  readonly as?: string;
  readonly wants?: Capability[];
  readonly json?: boolean;
  readonly timeout?: number;
}

/** What a command line is for; the owner ticks what it gets. */
const DEFAULT_WANTS: readonly Capability[] = CAPABILITIES.filter(
  (right) => right !== "agents" && right !== "owner",
);

export function registerPair(program: Command): void {
  program
    .command("pair")
    .description("pair with a daemon; its link is read from the prompt or standard input, never an argument")
    .option("--name <name>", "what to call that daemon here, for --device; its own name without it")
    .option("--as <name>", "what its owner will know this machine by", hostname())
    .addOption(
      new Option("--wants <rights>", "rights to ask for, with commas between them").argParser(parseWants),
    )
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action(pair);
  program
    .command("devices")
    .description("list the daemons that this user is paired with")
    .addOption(jsonOption())
    .action(devices);
}

function parseWants(text: string): Capability[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const unknown = words.find((word) => !isCapability(word));
  if (unknown !== undefined)
    throw usage(`No right is called ${unknown}; there is ${CAPABILITIES.join(", ")}`);
  return words.filter(isCapability);
}

async function pair(options: PairOptions): Promise<void> {
  const output = createOutput(options);
  if (options.name !== undefined) checkRecordName(options.name);
  const link = canAsk()
    ? await ask("Paste the link that nexusd pair shows: ", { hidden: true })
    : await firstLineOfInput(MAX_LINK_CHARS);
  const record = await paired(link, options, output);
  const { devicesDir } = readEnv();
  const name = options.name ?? (await freeName(devicesDir, record));
  const path = await saveRecord(devicesDir, name, record);
  output.value({ paired: { name, serverName: record.serverName, deviceId: record.deviceId, path } });
  output.line(`Paired with ${record.serverName}; use --device ${name}`);
}

async function paired(link: string, options: PairOptions, output: Output): Promise<DeviceRecord> {
  const stop = new AbortController();
  const onInterrupt = (): void => stop.abort(interrupted());
  const limits = options.timeout === undefined ? [] : [AbortSignal.timeout(options.timeout)];
  const signal = AbortSignal.any([stop.signal, ...limits]);
  process.once("SIGINT", onInterrupt);
  try {
    const pairing = await pairDevice({
      link,
      name: options.as ?? hostname(),
      kind: "cli",
      wants: options.wants ?? DEFAULT_WANTS,
      WebSocket,
      signal,
      onState: (state) => {
        if (state.state === "pairing") tellCode(output, state.code);
      },
    });
    signal.addEventListener("abort", () => pairing.cancel());
    return await pairing.approved;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}

/** The digits go to a person's eyes; with --json as a value of their own. */
function tellCode(output: Output, code: string): void {
  output.value({ code });
  output.line(`Type this at the workstation: ${code.slice(0, 3)} ${code.slice(3)}`);
}

/** The daemon's own name; with a number when another pairing has it. A pairing with the same daemon is replaced. */
async function freeName(folder: string, record: DeviceRecord): Promise<string> {
  const base = recordNameFor(record.serverName);
  const taken = new Map((await listRecords(folder)).map((saved) => [saved.name, saved.record.serverKey]));
  let name = base;
  for (let number = 2; (taken.get(name) ?? record.serverKey) !== record.serverKey; number++)
    name = `${base}-${number}`;
  return name;
}

async function devices(options: { json?: boolean }): Promise<void> {
  const output = createOutput(options);
  const all = await listRecords(readEnv().devicesDir);
  output.value({
    devices: all.map(({ name, record }) => ({
      name,
      serverName: record.serverName,
      urls: record.urls,
      deviceId: record.deviceId,
      as: record.name,
    })),
  });
  output.table(
    ["NAME", "DAEMON", "ADDRESS", "KNOWN THERE AS"],
    all.map(({ name, record }) => [name, record.serverName, record.urls.join(" "), record.name]),
  );
  if (all.length === 0) output.line("This user is paired with no daemon; nexus pair begins");
}
