/** nexus ls, events and watch: what there is, what happened, and both live. */
import { type Command, Option } from "commander";
import { asking, type CommonOptions, parseInteger } from "../command.js";
import { withClient } from "../connect.js";
import { usage } from "../exit.js";
import { createOutput } from "../output.js";
import { withScreen } from "../screen.js";
import { untilStopped } from "../until-stopped.js";
import { eventLine, followEvents, readEvents } from "./events.js";
import { sessionLines } from "./session-table.js";

interface ListOptions extends CommonOptions {
  readonly workspaces?: boolean;
}

interface EventsOptions extends CommonOptions {
  readonly follow?: boolean;
  readonly since?: number;
  readonly limit?: number;
}

const MAX_EVENTS = 500;

export function registerSessions(program: Command): void {
  asking(program.command("ls").description("list chats and terminals, those that need you first"))
    .option("--workspaces", "list the workspaces instead")
    .action(list);
  asking(program.command("events").description("tell what changed its state, oldest first"))
    .option("--follow", "go on as it happens")
    .addOption(
      new Option("--since <seq>", "only what came after this event").argParser(
        parseInteger(0, Number.MAX_SAFE_INTEGER),
      ),
    )
    .addOption(new Option("--limit <count>", "at most so many").argParser(parseInteger(1, MAX_EVENTS)))
    .action(events);
  asking(program.command("watch").description("show the list live until Ctrl-C")).action(watch);
}

async function list(options: ListOptions): Promise<void> {
  const output = createOutput(options);
  await withClient(options, async ({ client, call }) => {
    const all = await client.call("sessions.list", {}, call);
    output.value(all);
    if (options.workspaces === true) {
      output.table(
        ["NAME", "BRANCH", "PATH", "ID"],
        all.workspaces.map(({ name, git, path, id }) => [name, git?.branch ?? "", path, id]),
      );
    } else {
      for (const line of sessionLines(output, all)) output.raw(output.json ? "" : `${line}\n`);
    }
  });
}

async function events(options: EventsOptions): Promise<void> {
  const output = createOutput(options);
  const retry = options.follow === true;
  await withClient({ ...options, retry }, async (session) => {
    const tell = (event: Parameters<typeof eventLine>[0]): void => {
      output.value(event);
      output.line(eventLine(event));
    };
    const read = await readEvents(session, options);
    for (const event of read.events) tell(event);
    if (retry)
      await untilStopped(options.timeout, (stop) => followEvents(session, read.cursor, { tell, stop }));
  });
}

async function watch(options: CommonOptions): Promise<void> {
  const output = createOutput(options);
  if (!output.json && !output.isTerminal)
    throw usage("nexus watch draws on a terminal; use --json, or nexus ls");
  await withClient({ ...options, retry: true }, async ({ client }) => {
    await withScreen({ plain: output.json }, async (screen) => {
      await untilStopped(options.timeout, (stop) => {
        const handle = client.watchSessions({
          onChange: (state) => {
            output.value(state);
            if (!output.json) screen.draw(sessionLines(output, state));
          },
          onError: (error, final) => {
            if (final) stop(error);
          },
        });
        return () => handle.close();
      });
    });
  });
}
