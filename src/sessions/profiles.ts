/** The ways to run an agent that the owner configured; one of its own for an agent without any. */
import { notFound } from "../protocol/errors.js";

export type Agent = "claude" | "codex";

export interface Profile {
  readonly id: string;
  readonly name: string;
  readonly agent: Agent;
  /** What runs it: the agent's own program, or phi in its place. */
  readonly driver: "claude" | "codex" | "phi";
  readonly configDir?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
}

/** As config.json has it. */
export type ProfileConfig = Omit<Profile, "driver"> & {
  readonly driver?: Profile["driver"] | undefined;
  readonly isDefault?: boolean | undefined;
};

const DEFAULTS: readonly Profile[] = [
  { id: "claude", name: "Claude", agent: "claude", driver: "claude" },
  { id: "codex", name: "Codex", agent: "codex", driver: "codex" },
];

export class Profiles {
  readonly #profiles: readonly Profile[];
  readonly #default: ReadonlyMap<Agent, Profile>;

  /** Throws when two profiles share an id, or an agent has two defaults. */
  constructor(configured: readonly ProfileConfig[] = []) {
    const own = configured.map(({ isDefault: _, ...profile }) => ({
      ...profile,
      driver: profile.driver ?? profile.agent,
    }));
    const stock = DEFAULTS.filter(({ agent }) => !own.some((profile) => profile.agent === agent));
    this.#profiles = [...own, ...stock];
    const ids = new Set<string>();
    for (const { id } of this.#profiles) {
      if (ids.has(id)) throw new Error(`Two profiles have the id ${JSON.stringify(id)}; give each its own`);
      ids.add(id);
    }
    this.#default = new Map(DEFAULTS.map(({ agent }) => [agent, this.#pickDefault(agent, configured)]));
  }

  /** In the order of the config; of one agent when it is named. */
  list(agent?: Agent | undefined): { id: string; name: string; agent: Agent; isDefault: boolean }[] {
    return this.#profiles
      .filter((profile) => agent === undefined || profile.agent === agent)
      .map((profile) => ({
        id: profile.id,
        name: profile.name,
        agent: profile.agent,
        isDefault: this.#default.get(profile.agent) === profile,
      }));
  }

  get(id: string): Profile | undefined {
    return this.#profiles.find((profile) => profile.id === id);
  }

  /** An agent's profile by id, else by name; its default without either. Throws NotFound. */
  choose(agent: Agent, idOrName?: string | undefined): Profile {
    const of = this.#profiles.filter((profile) => profile.agent === agent);
    const chosen =
      idOrName === undefined
        ? this.#default.get(agent)
        : (of.find(({ id }) => id === idOrName) ?? of.find(({ name }) => name === idOrName));
    if (chosen === undefined) throw notFound("profile");
    return chosen;
  }

  #pickDefault(agent: Agent, configured: readonly ProfileConfig[]): Profile {
    const flagged = configured.filter((profile) => profile.agent === agent && profile.isDefault === true);
    if (flagged.length > 1) throw new Error(`Two profiles are the default of ${agent}; keep one`);
    const wanted = flagged[0]?.id;
    const of = this.#profiles.filter((profile) => profile.agent === agent);
    const picked = of.find(({ id }) => id === wanted) ?? of[0];
    if (picked === undefined) throw new Error(`No profile for ${agent}`); // its own stands in when none is configured
    return picked;
  }
}
