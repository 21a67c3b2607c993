/** The terminals of one host, by the ids that nexusd chose. */
import { notFound, unavailable } from "../../protocol/errors.js";
import type { OpenTerminal, TerminalStatus } from "../types.js";
import { HostTerminal, type HostTools } from "./host-terminal.js";
import { MAX_TERMINALS } from "./limits.js";

export class Registry {
  readonly #tools: HostTools;
  readonly #terminals = new Map<string, Promise<HostTerminal>>();
  readonly #opened = new Map<string, HostTerminal>();

  constructor(tools: HostTools) {
    this.#tools = tools;
  }

  get size(): number {
    return this.#terminals.size;
  }

  list(): TerminalStatus[] {
    return [...this.#opened.values()].map((terminal) => terminal.status());
  }

  /** A second open of one id joins the first. */
  async open(spec: OpenTerminal): Promise<HostTerminal> {
    const known = this.#terminals.get(spec.id);
    if (known) return known;
    if (this.#terminals.size >= MAX_TERMINALS) {
      throw unavailable(`${MAX_TERMINALS} terminals are open, close some first`);
    }
    const opening = HostTerminal.open(spec, this.#tools);
    this.#terminals.set(spec.id, opening);
    try {
      const terminal = await opening;
      this.#opened.set(spec.id, terminal);
      return terminal;
    } catch (cause) {
      this.#terminals.delete(spec.id);
      throw cause;
    }
  }

  /** NotFound when there is no such terminal here. */
  get(id: string): HostTerminal {
    const terminal = this.#opened.get(id);
    if (!terminal) throw notFound("terminal");
    return terminal;
  }

  /** As {@link get}, undefined when there is none. */
  find(id: string): HostTerminal | undefined {
    return this.#opened.get(id);
  }

  async close(id: string, force: boolean): Promise<void> {
    await this.get(id).close(force);
    this.#opened.delete(id);
    this.#terminals.delete(id);
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#terminals.values()]);
    await Promise.allSettled([...this.#opened.keys()].map((id) => this.close(id, true)));
  }
}
