/**
 * One terminal of a host: a program on a pty, the screen it draws, what its
 * shell does, and those who look. It is there until it is closed, also when its
 * program has ended.
 */
import { randomBytes } from "node:crypto";
import { unavailable } from "../../protocol/errors.js";
import { Screen, type ScreenWatch } from "../screen.js";
import { startOf } from "../shell-integration/install.js";
import type {
  InputModes,
  OpenTerminal,
  TerminalInput,
  TerminalStatus,
  WaitOptions,
  WaitResult,
} from "../types.js";
import { waitFor } from "../wait.js";
import { Activity } from "./activity.js";
import { type AttachEvents, type Attachment, Attachments } from "./attachments.js";
import type { PtyBinding } from "./binding.js";
import { refuseBusy } from "./busy.js";
import type { Clock } from "./clock.js";
import { endProgram } from "./ending.js";
import { FirstCommand } from "./first-command.js";
import { InputQueue } from "./input.js";
import { BELL_INTERVAL_MS, PAUSE_ABOVE_BYTES, REPORT_INTERVAL_MS, RESUME_UNDER_BYTES } from "./limits.js";
import { MatchMemory } from "./match-memory.js";
import type { Matcher } from "./matcher.js";
import { Pace } from "./pace.js";
import { workingFolder } from "./process-table.js";
import { Program } from "./program.js";
import { Pty, type PtyExit } from "./pty.js";
import { openingSize, type Size } from "./size.js";
import { hasSecretPrompt } from "./tty-modes.js";
import { TypedPlaces } from "./typed-places.js";
import { waitableOf } from "./waitable.js";

export interface HostTools {
  readonly binding: PtyBinding;
  readonly matcher: Matcher;
  readonly clock: Clock;
  /** Where the shells' integration files lie. */
  readonly shellFolder: string;
  changed(status: TerminalStatus): void;
  bell(id: string, message?: string): void;
}

export class HostTerminal {
  readonly id: string;
  readonly #tools: HostTools;
  readonly #screen: Screen;
  readonly #pty: Pty;
  readonly #program: Program;
  readonly #activity: Activity;
  readonly #input: InputQueue;
  readonly #attachments: Attachments;
  readonly #memory = new MatchMemory();
  readonly #typed: TypedPlaces;
  readonly #reports = new Pace(REPORT_INTERVAL_MS, () => this.#report());
  readonly #bells = new Pace(BELL_INTERVAL_MS, () => this.#tools.bell(this.id, this.#notice?.message));
  readonly #listeners = new Set<() => void>();
  readonly #gone = new AbortController();
  #paused = false;
  #programTitle = "";
  #cwd: string;
  #exit: PtyExit | undefined;
  #endedReason: string | undefined;
  #notice: { at: number; message?: string } | undefined;

  /** Starts the shell; Unavailable with the reason when it cannot start. */
  static async open(spec: OpenTerminal, tools: HostTools): Promise<HostTerminal> {
    const size = openingSize(spec);
    const mark = randomBytes(9).toString("base64url");
    const start = startOf(spec.shell, spec.env, { folder: tools.shellFolder, mark });
    // Output can come before the terminal is made: the pty's first read is a turn of the loop away.
    let terminal: HostTerminal | undefined;
    const pty = await Pty.start(
      tools.binding,
      { launch: start.launch, cwd: spec.cwd, env: { ...start.env, PWD: spec.cwd }, ...size },
      {
        data: (chunk) => terminal?.output(chunk),
        exit: (exit) => terminal?.ended(exit),
      },
    );
    terminal = new HostTerminal({ spec, tools, pty, mark, size, program: new Program(pty, start.launch) });
    if (spec.command !== undefined) terminal.#runFirst(spec.command);
    return terminal;
  }

  private constructor(parts: {
    spec: OpenTerminal;
    tools: HostTools;
    pty: Pty;
    mark: string;
    size: Size;
    program: Program;
  }) {
    const { spec, tools, pty, size } = parts;
    this.id = spec.id;
    this.#tools = tools;
    this.#pty = pty;
    this.#cwd = spec.cwd;
    this.#program = parts.program;
    this.#activity = new Activity({
      mark: parts.mark,
      leaderPid: pty.pid,
      clock: tools.clock,
      look: () => this.#program.look(),
      changed: () => this.#changed(),
    });
    this.#screen = new Screen({ ...size, reply: (data) => this.#reply(data) }, this.#screenEvents());
    this.#typed = new TypedPlaces(this.#screen);
    this.#input = new InputQueue(this.#inputTarget());
    this.#attachments = new Attachments({
      ownSize: size,
      picture: () => Buffer.from(this.#screen.picture()),
      resize: (next) => this.#resize(next),
    });
  }

  status(): TerminalStatus {
    const { lastCommand, foreground } = this.#activity;
    return {
      id: this.id,
      phase: this.#activity.phase,
      since: this.#activity.since,
      title: this.#programTitle || (foreground ?? ""),
      ...(foreground === undefined ? {} : { foreground }),
      ...(this.#exit ? { exit: this.#exit } : {}),
      ...(this.#endedReason === undefined ? {} : { endedReason: this.#endedReason }),
      lastLine: this.#screen.lastLine(),
      ...(lastCommand ? { lastCommand } : {}),
      cwd: this.#cwd,
    };
  }

  async read(options: { lines?: number; ansi?: boolean }): Promise<string> {
    await this.#screen.settled();
    return this.#screen.read(options);
  }

  watch(
    options: { lines?: number; ansi?: boolean },
    deliver: (update: { start: number; text: string }) => Promise<void> | void,
  ): ScreenWatch {
    return this.#screen.watch(options, deliver);
  }

  /** Types; Unavailable when the program ended or takes nothing. */
  input(input: TerminalInput): Promise<{ at: number }> {
    if (this.#exit) return Promise.reject(unavailable("The program of this terminal has ended"));
    return this.#input.type(input);
  }

  async inputModes(): Promise<InputModes> {
    const { slave } = this.#pty;
    const view = this.#program.look();
    const foreground = view?.foreground ?? view?.root;
    return {
      ...(foreground === undefined ? {} : { foreground }),
      secret: slave !== undefined && (await hasSecretPrompt(slave)),
      bracketedPaste: this.#screen.modes.bracketedPaste,
    };
  }

  async wait(options: WaitOptions, signal: AbortSignal): Promise<WaitResult> {
    const both = AbortSignal.any([signal, this.#gone.signal]);
    await this.#screen.settled();
    const { matcher } = this.#tools;
    const waitable = waitableOf({
      activity: this.#activity,
      screen: this.#screen,
      typed: this.#typed,
      clock: this.#tools.clock,
      listeners: this.#listeners,
      notice: () => this.#notice,
    });
    return waitFor(waitable, options, { matcher, memory: this.#memory, signal: both });
  }

  attach(size: Size, events: AttachEvents): Attachment {
    if (this.#exit) throw unavailable("The program of this terminal has ended");
    return this.#attachments.attach(size, events);
  }

  /** What a window at the desk types, as it is. */
  typeRaw(bytes: Buffer): void {
    this.#typed.note(this.#tools.clock.stamp());
    this.#activity.typed();
    // A full queue means that the program reads nothing: typing is lost there as on any terminal.
    this.#pty.write(bytes).catch(() => undefined);
  }

  /** Ends the program and lets go of everything; Unavailable while something runs and `force` is not set. */
  async close(force: boolean): Promise<void> {
    if (!this.#exit) {
      if (!force) await refuseBusy(this.#program, this.#activity);
      await endProgram(this.#pty, () => this.#exit !== undefined);
    }
    this.#dispose();
  }

  /** Tells what there is to tell: an answer must not come before the status that it goes with. */
  flushReport(): void {
    this.#reports.flush();
  }

  output(chunk: Buffer): void {
    this.#activity.output();
    this.#attachments.output(chunk);
    this.#screen.write(chunk);
    if (!this.#paused && this.#screen.pendingBytes > PAUSE_ABOVE_BYTES) {
      this.#paused = true;
      this.#pty.pause();
    }
    this.#ring();
  }

  ended(exit: PtyExit): void {
    void this.#screen.settled().then(() => {
      this.#exit = exit;
      if (exit.signal) this.#endedReason = `It was ended by ${exit.signal}`;
      this.#activity.ended();
      this.#attachments.end("The program has ended");
      this.#ring();
    });
  }

  #runFirst(command: string): void {
    const first = new FirstCommand({
      atPrompt: () => this.#activity.promptAt > 0,
      secret: async () => (await this.inputModes()).secret,
      type: () => {
        this.#activity.commandTyped();
        this.input({ text: command, enter: true }).catch(() => undefined); // it ended before it could be typed
      },
    });
    this.#activity.commandWaits();
    this.#listeners.add(() => first.look());
    this.#gone.signal.addEventListener("abort", () => first.dispose());
  }

  #screenEvents() {
    return {
      title: (title: string) => {
        this.#programTitle = title;
        this.#changed();
      },
      bell: () => this.#noticed(undefined),
      notify: (message: string) => this.#noticed(message),
      mark: (mark: Parameters<Activity["mark"]>[0]) => {
        this.#activity.mark(mark);
        this.#ring();
      },
      parsed: () => {
        if (this.#paused && this.#screen.pendingBytes < RESUME_UNDER_BYTES) {
          this.#paused = false;
          this.#pty.resume();
        }
        this.#ring();
      },
    };
  }

  #inputTarget() {
    const { modes } = this.#screen;
    const activity = this.#activity;
    return {
      modes,
      get quietMs() {
        return activity.quietMs;
      },
      get atMarkedPrompt() {
        return activity.atMarkedPrompt;
      },
      write: (data: Buffer) => this.#pty.write(data),
      typing: () => {
        const at = this.#tools.clock.stamp();
        this.#typed.note(at);
        activity.typed();
        return at;
      },
    };
  }

  #noticed(message: string | undefined): void {
    // At its prompt the shell's own line editor rings, which tells nobody anything.
    if (this.#activity.phase === "prompt") return;
    this.#notice = { at: this.#tools.clock.stamp(), ...(message === undefined ? {} : { message }) };
    this.#bells.due();
    this.#ring();
  }

  #reply(data: string): void {
    this.#pty.write(Buffer.from(data, "latin1")).catch(() => undefined); // a program that asks and does not read
  }

  #resize(size: Size): void {
    if (size.cols === this.#screen.cols && size.rows === this.#screen.rows) return;
    this.#screen.resize(size.cols, size.rows);
    this.#pty.resize(size.cols, size.rows);
  }

  #readFolder(): void {
    void workingFolder(this.#pty.pid).then((folder) => {
      if (folder === undefined || folder === this.#cwd) return;
      this.#cwd = folder;
      this.#changed();
    });
  }

  #changed(): void {
    this.#reports.due();
    this.#ring();
  }

  #report(): void {
    this.#tools.changed(this.status());
    if (this.#activity.phase === "prompt") this.#readFolder();
  }

  #ring(): void {
    for (const listener of this.#listeners) listener();
  }

  #dispose(): void {
    this.#gone.abort();
    this.#activity.dispose();
    this.#reports.dispose();
    this.#bells.dispose();
    this.#attachments.end("The terminal was closed");
    this.#pty.close();
    this.#screen.dispose();
    this.#listeners.clear();
  }
}
