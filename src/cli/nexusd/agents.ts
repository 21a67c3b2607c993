/** nexusd agents: who of the agents asked whom, and the one switch that stops it all. */
import type { Command } from "commander";
import type { OwnedAgents } from "../../protocol/owner.js";
import { jsonOption } from "../command.js";
import { withOwner } from "../connect.js";
import { createOutput, type Output, whenText } from "../output.js";

interface JsonOnly {
  readonly json?: boolean;
}

export function registerAgents(program: Command): void {
  const group = program
    .command("agents")
    .description("see which agents asked which sessions, and who was turned away and why")
    .addOption(jsonOption())
    .action((_options: JsonOnly, command: Command) => show("owner.agents", command.optsWithGlobals()))
    .helpCommand(false);
  group
    .command("stop")
    .description("refuse every request between agents until resumed")
    .addOption(jsonOption())
    .action((_options: JsonOnly, command: Command) => show("owner.agents.stop", command.optsWithGlobals()));
  group
    .command("resume")
    .description("let them through again, within their limits")
    .addOption(jsonOption())
    .action((_options: JsonOnly, command: Command) => show("owner.agents.resume", command.optsWithGlobals()));
}

async function show(
  method: "owner.agents" | "owner.agents.stop" | "owner.agents.resume",
  options: JsonOnly,
): Promise<void> {
  const output = createOutput(options);
  await withOwner({}, async ({ client }) => {
    const agents = await client.request(method, {});
    output.value(agents);
    showAgents(output, agents);
  });
}

function showAgents(output: Output, { stopped, routes, refusals, muted }: OwnedAgents): void {
  output.line(
    stopped === undefined
      ? "Agents may ask each other, within their limits"
      : `Stopped by ${stopped.by} at ${whenText(stopped.at)}; nexusd agents resume lets them go on`,
  );
  output.table(
    ["WHEN", "DEVICE", "AGENT", "ASKED", "TIMES", "HOPS"],
    routes.map(({ at, device, agent, target, count, hops }) => [
      whenText(at),
      device,
      agent,
      target,
      String(count),
      String(hops),
    ]),
  );
  if (refusals.length > 0) output.line("Turned away:");
  output.table(
    ["WHEN", "DEVICE", "AGENT", "TARGET", "HOPS", "WHY"],
    refusals.map(({ at, device, agent, target, hops, why }) => [
      whenText(at),
      device,
      agent,
      target,
      String(hops),
      why,
    ]),
  );
  for (const { deviceId, leftMs } of muted) {
    output.line(`${deviceId} is not asked about for ${Math.ceil(leftMs / 60_000)} more minutes`);
  }
}
