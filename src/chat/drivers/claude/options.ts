/** What Claude Code offers: models, efforts, modes and commands as its program lists them. */
import type { AgentModel, AgentOptions } from "../../driver.js";
import type { InitializationResult } from "./sdk.js";
import { recordOf } from "./tools.js";

/** The strictest first. */
const MODES: AgentOptions["modes"] = [
  { id: "plan", label: "Plan only" },
  { id: "default", label: "Ask before changes" },
  { id: "acceptEdits", label: "Edit files unasked" },
  { id: "auto", label: "Decide by itself what to ask" },
  { id: "dontAsk", label: "Never ask, deny instead" },
  { id: "bypassPermissions", label: "Do everything unasked", dangerous: true },
];

/** Commands that only make sense in a terminal, or that the app has itself. */
const TERMINAL_ONLY: ReadonlySet<string> = new Set([
  "doctor",
  "color",
  "focus",
  "reload-plugins",
  "heapdump",
  "__remote-workflow",
  "workflow-launch-exec",
  "exit",
  "quit",
  "login",
  "logout",
]);

export function optionsOf(init: InitializationResult, _allowed: readonly string[] = []): AgentOptions {
  const account = accountOf(recordOf(init.account));
  return {
    models: (init.models ?? []).map(modelOf),
    modes: MODES,
    commands: (init.commands ?? [])
      .filter(({ name }) => !TERMINAL_ONLY.has(name))
      .map(({ name, description, argumentHint }) => ({
        name,
        description: description ?? "",
        ...(argumentHint === undefined || argumentHint === "" ? {} : { args: argumentHint }),
      })),
    ...account,
  };
}

function modelOf(model: NonNullable<InitializationResult["models"]>[number]): AgentModel {
  const { value, displayName, resolvedModel, supportedEffortLevels } = model;
  return {
    id: value,
    label: displayName ?? value,
    aliases: resolvedModel === undefined ? [] : [resolvedModel],
    efforts: supportedEffortLevels ?? [],
  };
}

/** One line about the account without anything secret, or what to do when there is none. */
function accountOf(account: Record<string, unknown>): Pick<AgentOptions, "account" | "problem"> {
  const text = (field: string): string | undefined =>
    typeof account[field] === "string" && account[field] !== "" ? (account[field] as string) : undefined;
  const email = text("email");
  if (email !== undefined) {
    const plan = text("subscriptionType");
    return { account: plan === undefined ? email : `${email} (${plan})` };
  }
  const source = text("apiKeySource");
  if (source !== undefined && source !== "none") return { account: `API key (${source})` };
  const token = text("tokenSource");
  if (token !== undefined && token !== "none") return { account: `Token (${token})` };
  const provider = text("apiProvider");
  if (provider !== undefined && provider !== "firstParty") return { account: provider };
  return { problem: "Not logged in: run `claude` in a terminal of the workstation and log in" };
}
