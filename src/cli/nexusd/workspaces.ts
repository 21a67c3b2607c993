/** nexusd add, remove and workspaces: the folders that devices may see. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { jsonOption } from "../command.js";
import { withOwner } from "../connect.js";
import { createOutput } from "../output.js";

interface JsonOnly {
  readonly json?: boolean;
}

export function registerWorkspaces(program: Command): void {
  program
    .command("add")
    .description("open a folder to the paired devices")
    .argument("[dir]", "the folder; this one without it")
    .addOption(jsonOption())
    .action(add);
  program
    .command("remove")
    .description("close a folder to them again; its files stay")
    .argument("<workspace>", "its name, id or path")
    .option("--force", "close its tabs too, and end what runs in them")
    .addOption(jsonOption())
    .action(remove);
  program
    .command("workspaces")
    .description("list the folders that are open")
    .addOption(jsonOption())
    .action(workspaces);
}

async function add(dir: string | undefined, options: JsonOnly): Promise<void> {
  const output = createOutput(options);
  await withOwner({}, async ({ client }) => {
    const added = await client.request("owner.workspace.add", { path: resolve(dir ?? ".") });
    output.value(added);
    output.line(`${added.path} is open to your devices as ${added.name} (${added.id})`);
  });
}

async function remove(workspace: string, options: JsonOnly & { force?: boolean }): Promise<void> {
  const output = createOutput(options);
  await withOwner({}, async ({ client }) => {
    const { workspaces: known } = await client.request("owner.workspaces", {});
    const isKnown = known.some(({ id, name, path }) => [id, name, path].includes(workspace));
    const force = options.force === true ? { force: true } : {};
    const text = isKnown ? workspace : asFolder(workspace);
    const removed = await client.request("owner.workspace.remove", { workspace: text, ...force });
    output.value(removed);
    output.line(`${removed.path} is closed to your devices; its files stay`);
  });
}

/** What a person types for a folder, as the daemon knows it; the text itself when there is none. */
function asFolder(text: string): string {
  try {
    return realpathSync(text);
  } catch {
    return text; // a name or an id, which the daemon looks up
  }
}

async function workspaces(options: JsonOnly): Promise<void> {
  const output = createOutput(options);
  await withOwner({}, async ({ client }) => {
    const result = await client.request("owner.workspaces", {});
    output.value(result);
    output.table(
      ["NAME", "TABS", "PATH", "NOTE", "ID"],
      result.workspaces.map(({ name, tabs, path, manager, closed, id }) => [
        name,
        String(tabs),
        path,
        manager === true ? "manager" : closed === true ? "closed" : "",
        id,
      ]),
    );
    if (result.workspaces.length === 0) output.line("No folder is open; nexusd add opens one");
  });
}
