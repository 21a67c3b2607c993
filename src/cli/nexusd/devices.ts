/** nexusd devices, grant and revoke: who is paired, and what each may do. */
import type { Command } from "commander";
import { nameGrant, resolveGrant } from "../../protocol/grants.js";
import type { OwnedDevice, OwnerResult } from "../../protocol/owner.js";
import { jsonOption } from "../command.js";
import { type Session, withOwner } from "../connect.js";
import { type Cell, createOutput, type Output, whenText } from "../output.js";
import { canAsk, confirm } from "../prompt.js";
import { CAPS_HELP } from "./grant-choice.js";

interface JsonOnly {
  readonly json?: boolean;
}

export function registerDevices(program: Command): void {
  program
    .command("devices")
    .description("list the paired devices and what each may do")
    .addOption(jsonOption())
    .action(devices);
  program
    .command("grant")
    .description("set what a device may do, in place of what it could")
    .argument("<device>", "its name, id, or a start of its id")
    .argument("<rights>", CAPS_HELP)
    .addOption(jsonOption())
    .action(grant);
  program
    .command("revoke")
    .description("shut a device out now; what it opened is listed")
    .argument("<device>", "its name, id, or a start of its id")
    .addOption(jsonOption())
    .action(revoke);
}

async function devices(options: JsonOnly): Promise<void> {
  const output = createOutput(options);
  await withOwner({}, async ({ client }) => {
    const result = await client.request("owner.devices", {});
    output.value(result);
    output.table(["NAME", "KIND", "RIGHTS", "NOW", "LAST SEEN", "ID"], result.devices.map(deviceRow));
    if (result.devices.length === 0) output.line("No device is paired; nexusd pair lets one in");
  });
}

function deviceRow(device: OwnedDevice): Cell[] {
  const { name, kind, capabilities, links, lastSeenAt, id, overHttp } = device;
  return [
    name,
    overHttp === true ? `${kind}, http` : kind,
    nameGrant(capabilities),
    links > 0 ? { text: "connected", style: "green" } : "",
    lastSeenAt === undefined ? "never" : whenText(lastSeenAt),
    id,
  ];
}

async function grant(device: string, rights: string, options: JsonOnly): Promise<void> {
  const output = createOutput(options);
  const capabilities = resolveGrant(rights);
  await withOwner({}, async ({ client }) => {
    const result = await client.request("owner.grant", { deviceId: device, capabilities });
    output.value(result);
    output.line(`${device} may now: ${nameGrant(result.capabilities)}`);
  });
}

async function revoke(device: string, options: JsonOnly): Promise<void> {
  const output = createOutput(options);
  await withOwner({}, async (session) => {
    const result = await session.client.request("owner.revoke", { deviceId: device });
    output.value(result);
    output.line(`${device} is shut out`);
    if (result.left.length === 0) return;
    output.line("It opened these, which go on:");
    output.table(
      ["TITLE", "KIND", "ID"],
      result.left.map(({ title, kind, tabId }) => [title, kind, tabId]),
    );
    if (!output.json && canAsk()) await offerToClose(session, result.left, output);
  });
}

type Left = OwnerResult<"owner.revoke">["left"][number];

async function offerToClose({ client }: Session, left: readonly Left[], output: Output): Promise<void> {
  for (const { kind, title, workspaceId, tabId } of left) {
    if (!(await confirm(`Close ${title} (${kind}) and end what runs in it?`))) continue;
    if (kind === "terminal") await client.call("terminal.close", { workspaceId, tabId, force: true });
    else await client.call("chat.close", { workspaceId, tabId });
    output.line(`Closed ${title}`);
  }
}
