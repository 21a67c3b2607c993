/**
 * The terminal host: the process that owns the ptys and their screens and
 * outlives the nexusd that started it. It ends when it is told to, or when it
 * has had neither a terminal nor a nexusd for a while.
 */
import { chmod, lstat, unlink } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { installShellIntegration } from "../shell-integration/install.js";
import { loadBinding } from "./binding.js";
import { Clock } from "./clock.js";
import { IDLE_END_MS, SOCKET_CHECK_MS } from "./limits.js";
import { Link } from "./link.js";
import type { HostLog } from "./log.js";
import { Matcher } from "./matcher.js";
import { Registry } from "./registry.js";

export interface HostOptions {
  readonly id: string;
  /** The hash of the folder that this host runs from. */
  readonly build: string;
  readonly socket: string;
  readonly bindingFile: string;
  readonly log: HostLog;
  /** {@link IDLE_END_MS} unless said. */
  readonly idleMs?: number;
  /** Called once, when all is closed. */
  ended(): void;
}

export class Host {
  readonly #options: HostOptions;
  readonly #links = new Set<Link>();
  readonly #matcher = new Matcher();
  readonly #registry: Registry;
  readonly #server: net.Server;
  #check: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #retired = false;
  #stopping: Promise<void> | undefined;

  static async start(options: HostOptions): Promise<Host> {
    const shellFolder = path.join(path.dirname(options.bindingFile), "shell");
    await installShellIntegration(shellFolder);
    const host = new Host(options, shellFolder);
    await host.#listen();
    host.#check = setInterval(() => void host.#keepSocket(), SOCKET_CHECK_MS);
    host.#check.unref();
    host.#changedUse();
    return host;
  }

  private constructor(options: HostOptions, shellFolder: string) {
    this.#options = options;
    this.#registry = new Registry({
      binding: loadBinding(options.bindingFile),
      matcher: this.#matcher,
      clock: new Clock(),
      shellFolder,
      changed: (status) => {
        for (const link of this.#ready()) link.send({ type: "change", status });
      },
      bell: (terminal, message) => {
        const said = message === undefined ? {} : { message };
        for (const link of this.#ready()) link.send({ type: "bell", terminal, ...said });
      },
    });
    this.#server = net.createServer((socket) => this.#accept(socket));
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    clearInterval(this.#check);
    clearTimeout(this.#idle);
    // No new link may come while the programs end, and none finds this host again.
    const closed = new Promise((resolve) => this.#server.close(resolve));
    await this.#registry.closeAll();
    await this.#matcher.close();
    // The answer to the call that stops goes out before its link does.
    setTimeout(() => {
      for (const link of [...this.#links]) link.close();
      void closed.then(() => this.#options.ended());
    }, 0);
  }

  async #listen(): Promise<void> {
    const { socket } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(socket, () => {
        this.#server.removeListener("error", reject);
        resolve();
      });
    });
    this.#server.on("error", (error) => this.#options.log.write("socket", error));
    await chmod(socket, 0o600);
  }

  /** A cleaner of temp folders may take the socket's name away: without it no nexusd finds the programs again. */
  async #keepSocket(): Promise<void> {
    const isThere = await lstat(this.#options.socket).then(
      (entry) => entry.isSocket(),
      () => false,
    );
    if (isThere || this.#stopping) return;
    this.#options.log.write("the socket's name was removed, it is made again");
    const again = net.createServer((socket) => this.#accept(socket));
    again.on("error", (error) => this.#options.log.write("socket", error));
    again.listen(this.#options.socket, () => void chmod(this.#options.socket, 0o600).catch(() => undefined));
    again.unref();
  }

  #accept(socket: net.Socket): void {
    const { id, build, log } = this.#options;
    const link = new Link(socket, {
      registry: this.#registry,
      hello: { host: id, pid: process.pid, build },
      retire: () => {
        this.#retired = true;
        this.#changedUse();
      },
      stop: () => this.stop(),
      failed: (what, error) => log.write(what, error),
      closed: (gone) => {
        this.#links.delete(gone);
        this.#changedUse();
      },
      closedTerminal: (terminal) => {
        for (const other of this.#links) {
          other.forget(terminal);
          if (other.ready) other.send({ type: "closed", terminal });
        }
        this.#changedUse();
      },
    });
    this.#links.add(link);
    this.#changedUse();
  }

  #ready(): Link[] {
    return [...this.#links].filter((link) => link.ready);
  }

  #changedUse(): void {
    clearTimeout(this.#idle);
    if (this.#stopping || this.#registry.size > 0) return;
    if (this.#retired) {
      void this.stop();
    } else if (this.#links.size === 0) {
      this.#idle = setTimeout(() => void this.#endIdle(), this.#options.idleMs ?? IDLE_END_MS);
    }
  }

  async #endIdle(): Promise<void> {
    if (this.#registry.size > 0 || this.#links.size > 0) return;
    await unlink(this.#options.socket).catch(() => undefined); // close removes it too
    await this.stop();
  }
}
