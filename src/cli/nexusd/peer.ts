/** nexusd peer: the other daemons that this machine's agents can send to. */
import type { Command } from "commander";
import type { OwnedPeer } from "../../protocol/owner.js";
import { jsonOption } from "../command.js";
import { type Session, withOwner } from "../connect.js";
import { CommandFailure, ExitCode } from "../exit.js";
import { MAX_LINK_CHARS } from "../limits.js";
import { createOutput, type Output, whenText } from "../output.js";
import { ask, canAsk, firstLineOfInput } from "../prompt.js";

interface JsonOnly {
  readonly json?: boolean;
}

export function registerPeer(program: Command): void {
  const group = program
    .command("peer")
    .description("pair this daemon with others, so that agents here can send to agents there")
    .helpCommand(false);
  group
    .command("add")
    .description("pair with a daemon; its link is read from the prompt or standard input, never an argument")
    .option("--name <name>", "what to call it here, for --device; its own name without it")
    .addOption(jsonOption())
    .action(add);
  group.command("ls").description("list them").addOption(jsonOption()).action(list);
  group
    .command("remove")
    .description("forget one; its owner can revoke this machine too")
    .argument("<peer>", "its name or id")
    .addOption(jsonOption())
    .action(remove);
}

async function add(options: JsonOnly & { name?: string }): Promise<void> {
  const output = createOutput(options);
  const { name } = options;
  await withOwner({}, async (session) => {
    const link = canAsk()
      ? await ask("Paste the link that nexusd pair shows on the other machine: ", { hidden: true })
      : await firstLineOfInput(MAX_LINK_CHARS);
    const begun = await session.client.request("owner.peer.add", {
      link,
      ...(name !== undefined && { name }),
    });
    output.value({ code: begun.code });
    output.line(`Type this at the other machine: ${begun.code.slice(0, 3)} ${begun.code.slice(3)}`);
    const peer = await untilPaired(session, begun.pairingId);
    output.value({ peer });
    tellPaired(output, peer);
  });
}

async function untilPaired({ client }: Session, pairingId: string): Promise<OwnedPeer> {
  for (;;) {
    const { state, peer, message } = await client.request("owner.peer.added", { pairingId });
    if (state === "paired" && peer !== undefined) return peer;
    if (state !== "waiting") throw new CommandFailure(ExitCode.forbidden, message ?? "The pairing failed");
  }
}

function tellPaired(output: Output, { name, serverName, mayReply }: OwnedPeer): void {
  output.line(`Agents here can send to ${serverName}: nexus --device ${name} chat send …`);
  if (mayReply) return;
  output.line("It cannot send here yet, so nothing can be replied to. To pair the other way:");
  output.line("  here:   nexusd pair, and give it the right agents");
  output.line(`  there:  nexusd peer add, with that link`);
}

async function list(options: JsonOnly): Promise<void> {
  const output = createOutput(options);
  await withOwner({}, async ({ client }) => {
    const result = await client.request("owner.peers", {});
    output.value(result);
    output.table(
      ["NAME", "DAEMON", "ADDRESS", "REPLIES", "SINCE", "ID"],
      result.peers.map(({ name, serverName, urls, mayReply, pairedAt, id }) => [
        name,
        serverName,
        urls.join(" "),
        mayReply ? "yes" : "no",
        whenText(pairedAt),
        id,
      ]),
    );
    if (result.peers.length === 0) output.line("This daemon has no peers; nexusd peer add begins");
  });
}

async function remove(peer: string, options: JsonOnly): Promise<void> {
  const output = createOutput(options);
  await withOwner({}, async ({ client }) => {
    output.value(await client.request("owner.peer.remove", { peer }));
    output.line(`${peer} is no peer any more`);
  });
}
