/** nexusd pair and nexusd approve: let a new device in. */
import type { Command } from "commander";
import type { Capability } from "../../protocol/capabilities.js";
import { nameGrant, resolveGrant } from "../../protocol/grants.js";
import { jsonOption } from "../command.js";
import { withOwner } from "../connect.js";
import { usage } from "../exit.js";
import { createOutput } from "../output.js";
import { canAsk } from "../prompt.js";
import { askGrant, CAPS_HELP, riskyOverHttp, typedYes } from "./grant-choice.js";
import { checkMayShow, showPairLink } from "./pair-link.js";
import { runOffer } from "./run-offer.js";

interface PairOptions {
  readonly yes?: boolean;
  readonly caps?: string;
  readonly printLink?: boolean;
  readonly json?: boolean;
}

export function registerPair(program: Command): void {
  program
    .command("pair")
    .description("make a link by which one new device can ask to be let in, and approve it")
    .option("--yes", "let the first device in without its digits; needs --caps")
    .option("--caps <rights>", CAPS_HELP)
    .option("--print-link", "print the link also when standard output is no terminal")
    .addOption(jsonOption())
    .action(pair);
  program
    .command("approve")
    .description("let the device in that shows these six digits")
    .argument("<code>", "the digits on its screen")
    .option("--caps <rights>", CAPS_HELP)
    .addOption(jsonOption())
    .action(approve);
}

async function pair(options: PairOptions): Promise<void> {
  const output = createOutput(options);
  const { yes = false, printLink = false } = options;
  const caps = options.caps === undefined ? undefined : resolveGrant(options.caps);
  if (yes && caps === undefined) throw usage("--yes lets a device in unseen; say with --caps what it may do");
  await withOwner({}, async (session) => {
    checkMayShow(output, { printLink });
    await runOffer(session, {
      output,
      caps,
      yes,
      show: ({ link, expiresAt }) => showPairLink(output, link, { printLink, expiresAt }),
    });
  });
}

async function approve(code: string, options: { caps?: string; json?: boolean }): Promise<void> {
  const output = createOutput(options);
  const { capabilities, acceptHttp } = await rightsFor(options.caps, (line) => output.note(line));
  await withOwner({}, async ({ client }) => {
    const device = await client.request("owner.approve", { code, capabilities, acceptHttp });
    output.value(device);
    output.line(`${device.name} is paired and may: ${nameGrant(device.capabilities)} (${device.id})`);
  });
}

async function rightsFor(
  caps: string | undefined,
  note: (line: string) => void,
): Promise<{ capabilities: Capability[]; acceptHttp: boolean }> {
  if (caps !== undefined) return { capabilities: resolveGrant(caps), acceptHttp: true };
  if (!canAsk()) throw usage("Say with --caps what the device may do");
  const capabilities = await askGrant(note);
  const risky = riskyOverHttp(capabilities);
  const sentence =
    "If its page has an address that begins with http:, whoever can change traffic on that network can act as this device";
  const acceptHttp = risky.length > 0 && (await typedYes(sentence, risky));
  return { capabilities, acceptHttp };
}
