/** nexusd audit: who did what, and whether the log is whole. */
import { type Command, Option } from "commander";
import { checkAuditLog } from "../../server/audit-log.js";
import { jsonOption, parseInteger } from "../command.js";
import { refuseInsideTab, type Session, withOwner } from "../connect.js";
import { readEnv } from "../env.js";
import { CommandFailure, ExitCode } from "../exit.js";
import { AUDIT_PAGE, AUDIT_POLL_MS } from "../limits.js";
import { createOutput, type Output, whenText } from "../output.js";
import { untilStopped } from "../until-stopped.js";

interface AuditOptions {
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly limit?: number;
}

export function registerAudit(program: Command): void {
  const group = program
    .command("audit")
    .description("tell who did what: control requests, pairings, grants, consents, agents' messages")
    .option("--follow", "go on as it happens")
    .addOption(new Option("--limit <count>", "the last so many lines").argParser(parseInteger(1, AUDIT_PAGE)))
    .addOption(jsonOption())
    .action(audit)
    .helpCommand(false);
  group
    .command("verify")
    .description("check that no line was changed or taken out (exit code 1 when one was)")
    .addOption(jsonOption())
    .action(verify);
}

type Entry = Record<string, unknown>;

async function audit(options: AuditOptions): Promise<void> {
  const output = createOutput(options);
  const { follow = false, limit } = options;
  await withOwner({ retry: follow }, async (session) => {
    let last = 0;
    const tell = async (count: number | undefined): Promise<void> => {
      for (const entry of await read(session, count)) {
        if (Number(entry.seq) <= last) continue;
        last = Number(entry.seq);
        output.value(entry);
        output.line(lineOf(entry));
      }
    };
    await tell(limit);
    if (!follow) return;
    await untilStopped(undefined, (stop) => {
      let reading = false;
      const timer = setInterval(() => {
        if (reading) return;
        reading = true;
        tell(AUDIT_PAGE)
          .catch(stop)
          .finally(() => {
            reading = false;
          });
      }, AUDIT_POLL_MS);
      return () => clearInterval(timer);
    });
  });
}

async function read({ client }: Session, limit: number | undefined): Promise<Entry[]> {
  const { entries } = await client.request("owner.audit", limit === undefined ? {} : { limit });
  return entries;
}

function lineOf(entry: Entry): string {
  const { at, device, method, outcome, from, hops, consent, workspaceId: _w, ...rest } = entry;
  const { seq: _s, prev: _p, ...about } = rest;
  const sender = from === undefined ? "" : ` for the agent in ${String((from as { tabId?: unknown }).tabId)}`;
  const more = Object.entries({ ...about, hops, consent }).filter(([, value]) => value !== undefined);
  const told = more.map(
    ([name, value]) => `${name}=${Array.isArray(value) ? value.join(",") : String(value)}`,
  );
  const result = outcome === "ok" ? "ok" : `refused (${String(outcome)})`;
  return `${whenText(Number(at))}  ${String(device)}${sender}  ${String(method)}  ${result}  ${told.join(" ")}`.trimEnd();
}

async function verify(_options: AuditOptions, command: Command): Promise<void> {
  const output: Output = createOutput(command.optsWithGlobals());
  refuseInsideTab();
  const check = await withOwner({}, ({ client }) => client.request("owner.audit.verify", {})).catch(
    async (error: unknown) => {
      // The log is there without its daemon.
      if (error instanceof CommandFailure && error.exitCode === ExitCode.unavailable) {
        return await checkAuditLog(readEnv().paths.stateDir);
      }
      throw error;
    },
  );
  output.value(check);
  if (check.ok) {
    output.line(`${check.lines} lines, all whole and in their order`);
    return;
  }
  throw new CommandFailure(
    ExitCode.failed,
    `${check.file ?? "The log"}, line ${check.line ?? 0}: ${check.why ?? ""}`,
  );
}
