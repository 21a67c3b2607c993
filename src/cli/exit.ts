/** What a command ends with: an exit code for scripts, one sentence for people. */
import { CommanderError } from "commander";
import { ClientError } from "../client/errors.js";
import { PairingError } from "../client/pairing.js";
import { RpcErrorCode, RpcFailure } from "../protocol/errors.js";

export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  forbidden: 4,
  unavailable: 5,
  timedOut: 6,
  /** What shells give a program that Ctrl-C ended. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** The command ends with a code of its own; an empty message says nothing more. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandFailure";
    this.exitCode = exitCode;
  }
}

export const usage = (why: string): CommandFailure => new CommandFailure(ExitCode.usage, why);
export const timedOut = (why: string): CommandFailure => new CommandFailure(ExitCode.timedOut, why);
export const interrupted = (): CommandFailure => new CommandFailure(ExitCode.interrupted, "");

const RPC_EXITS: Readonly<Record<number, ExitCode>> = {
  [RpcErrorCode.InvalidParams]: ExitCode.usage,
  [RpcErrorCode.NotFound]: ExitCode.notFound,
  [RpcErrorCode.Forbidden]: ExitCode.forbidden,
  [RpcErrorCode.Unavailable]: ExitCode.unavailable,
};

const CLIENT_EXITS: Readonly<Partial<Record<ClientError["kind"], ExitCode>>> = {
  closed: ExitCode.unavailable,
  "link-lost": ExitCode.unavailable,
  uncertain: ExitCode.unavailable,
  timeout: ExitCode.timedOut,
};

const PAIRING_EXITS: Readonly<Record<PairingError["kind"], ExitCode>> = {
  "bad-link": ExitCode.usage,
  unreachable: ExitCode.unavailable,
  refused: ExitCode.forbidden,
  denied: ExitCode.forbidden,
  lost: ExitCode.unavailable,
};

/** The exit code for what was thrown. Commander's own errors are usage, its help and version are done. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
  if (error instanceof RpcFailure) return RPC_EXITS[error.code] ?? ExitCode.failed;
  if (error instanceof ClientError) return CLIENT_EXITS[error.kind] ?? ExitCode.failed;
  if (error instanceof PairingError) return PAIRING_EXITS[error.kind];
  if (error instanceof Error && error.name === "TimeoutError") return ExitCode.timedOut;
  return ExitCode.failed;
}

/** What to tell of it, or "" when it was told already. It may hold text from the wire. */
export function sentenceOf(error: unknown): string {
  if (error instanceof CommanderError) return "";
  return error instanceof Error ? error.message : String(error);
}
