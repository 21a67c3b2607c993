/** What a chat runs with: choices by id or by the name that menus show, checked before they are set. */
import { forbidden, invalidParams } from "../protocol/errors.js";
import type { ChatSettings } from "../protocol/rpc.js";
import type { AgentModel, AgentOptions, AgentProfile, AgentSettings } from "./driver.js";
import { LISTED_CHARS, MAX_LISTED } from "./limits.js";
import { clip } from "./text.js";

export interface SettingsPatch {
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly permissionMode?: string | undefined;
}

/**
 * The patch in the agent's own ids. InvalidParams for a choice that is not
 * offered, Forbidden for a dangerous mode that the owner did not allow here.
 */
export function checkSettings(
  current: AgentSettings,
  patch: SettingsPatch,
  options: AgentOptions,
  allowed: readonly string[],
): Partial<AgentSettings> {
  const checked: { model?: string; effort?: string | null; permissionMode?: string } = {};
  const model = patch.model === undefined ? undefined : pickModel(options, patch.model);
  if (model !== undefined) checked.model = model.id;
  const runs = model ?? presentModel(options, current.model);
  if (patch.effort !== undefined) checked.effort = pickEffort(runs, patch.effort);
  else if (model !== undefined && current.effort !== null && !model.efforts.includes(current.effort)) {
    checked.effort = null;
  }
  if (patch.permissionMode !== undefined)
    checked.permissionMode = pickMode(options, patch.permissionMode, allowed);
  return checked;
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The model of that id, label or alias. */
export const findModel = (options: AgentOptions, choice: string): AgentModel | undefined =>
  options.models.find((model) => model.id === choice) ??
  options.models.find((model) =>
    [model.id, model.label, ...model.aliases].some((name) => same(name, choice)),
  );

/** The model that runs; the first is the program's own choice. */
export const presentModel = (options: AgentOptions, id: string | null): AgentModel | undefined =>
  id === null ? options.models[0] : findModel(options, id);

function pickModel(options: AgentOptions, choice: string): AgentModel {
  const model = findModel(options, choice);
  if (model === undefined)
    throw invalidParams(`No model ${quoted(choice)}; there are ${names(options.models.map((m) => m.id))}`);
  return model;
}

function pickEffort(model: AgentModel | undefined, choice: string): string {
  const effort = model?.efforts.find((level) => same(level, choice));
  if (effort !== undefined) return effort;
  const offered = model?.efforts ?? [];
  throw invalidParams(
    offered.length === 0
      ? "The model takes no effort level"
      : `No effort ${quoted(choice)}; there are ${names(offered)}`,
  );
}

function pickMode(options: AgentOptions, choice: string, allowed: readonly string[]): string {
  const mode =
    options.modes.find(({ id }) => id === choice) ??
    options.modes.find(({ id, label }) => same(id, choice) || same(label, choice));
  if (mode === undefined) {
    throw invalidParams(`No mode ${quoted(choice)}; there are ${names(options.modes.map(({ id }) => id))}`);
  }
  if (mode.dangerous === true && !allowed.includes(mode.id)) {
    throw forbidden(
      `The mode ${mode.id} runs everything unasked; the owner has to allow it for this workspace in the daemon's config first`,
    );
  }
  return mode.id;
}

const quoted = (text: string): string => JSON.stringify(clip(text, 60));
const names = (list: readonly string[]): string => clip(list.join(", "), 400);

export function settingsOf(o: {
  agent: "claude" | "codex";
  profile: AgentProfile;
  settings: AgentSettings;
  options: AgentOptions;
}): ChatSettings {
  const { options, settings, profile } = o;
  const short = (text: string): string => clip(text, LISTED_CHARS);
  return {
    agent: o.agent,
    ...settings,
    options: {
      models: options.models
        .slice(0, MAX_LISTED)
        .map(({ id, label }) => ({ id: short(id), label: short(label) })),
      efforts: [...(presentModel(options, settings.model)?.efforts ?? [])].slice(0, MAX_LISTED),
      modes: options.modes.slice(0, MAX_LISTED).map((mode) => ({ ...mode, label: short(mode.label) })),
    },
    profile: {
      id: profile.id,
      name: short(profile.name),
      ...(options.account === undefined ? {} : { account: short(options.account) }),
      ...(options.problem === undefined ? {} : { problem: short(options.problem) }),
    },
  };
}
