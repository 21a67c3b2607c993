/** nexusd open: serves if nothing does, and pairs this machine's browser. */
import type { Command } from "commander";
import { formatPairLink, parsePairLink } from "../../protocol/seal/pairing.js";
import { refuseInsideTab, withOwner } from "../connect.js";
import { CommandFailure, ExitCode } from "../exit.js";
import { createOutput, type Output } from "../output.js";
import { openInBrowser } from "./browser.js";
import type { Offer } from "./offer.js";
import { runOffer } from "./run-offer.js";
import { servedFolder, startServing } from "./serve.js";
import { addServeOptions, type ServeOptions } from "./serve-options.js";

export function registerOpen(program: Command): void {
  const command = program
    .command("open")
    .description("pair this machine's browser, and serve a folder first when no daemon runs")
    .argument("[dir]", "the folder to serve; this one without it");
  addServeOptions(command).action(open);
}

async function open(dir: string | undefined, options: ServeOptions): Promise<void> {
  refuseInsideTab();
  const output = createOutput();
  const folder = servedFolder(dir);
  const serving = await startServing(folder, options);
  if (serving === "already") {
    if (dir !== undefined)
      await withOwner({}, ({ client }) => client.request("owner.workspace.add", { path: folder }));
    await pairBrowser(output);
    return;
  }
  output.line(`Serving ${folder} at ${serving.daemon.url}`);
  await pairBrowser(output).catch((error: unknown) => {
    output.note(`${(error as Error).message}. The daemon goes on; Ctrl-C ends it`);
  });
  await serving.daemon.ended;
  process.exit();
}

async function pairBrowser(output: Output): Promise<void> {
  await withOwner({}, async (session) => {
    const { port } = await session.client.request("owner.status", {});
    let remove = async (): Promise<void> => undefined;
    const show = async ({ link }: Offer): Promise<void> => {
      remove = await openInBrowser(localLink(link, port));
      output.line("Your browser opens the pairing page.");
    };
    try {
      await runOffer(session, { output, yes: false, show });
    } finally {
      await remove();
    }
  });
}

/** The same offer at this machine's own address, which browsers trust over plain http; https keeps the name of its certificate. */
export function localLink(link: string, port: number): string {
  const offer = parsePairLink(link);
  if (offer === undefined)
    throw new CommandFailure(ExitCode.failed, "The daemon made a link of another version");
  if (new URL(offer.url).protocol === "https:") return link;
  return formatPairLink({ ...offer, url: `http://localhost:${port}/` });
}
