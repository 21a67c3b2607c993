/** nexusd doctor: what is wrong on this machine, and what to do about it. */
import type { Command } from "commander";
import type { DoctorCheck } from "../../protocol/owner.js";
import { jsonOption } from "../command.js";
import { refuseInsideTab, withOwner } from "../connect.js";
import { readEnv } from "../env.js";
import { ExitCode, exitCodeOf } from "../exit.js";
import { createOutput, type Output } from "../output.js";

export function registerDoctor(program: Command): void {
  program
    .command("doctor")
    .description("check this machine, really open a terminal, and say how to repair what is wrong")
    .addOption(jsonOption())
    .action(doctor);
}

async function doctor(options: { json?: boolean }): Promise<void> {
  refuseInsideTab();
  const output = createOutput(options);
  const checks = (await askDaemon()) ?? (await checkHere());
  output.value({ checks });
  for (const check of checks) tell(output, check);
  if (checks.some(({ ok }) => !ok)) process.exitCode = ExitCode.failed;
}

/** The daemon's own checks; undefined when none runs. */
async function askDaemon(): Promise<DoctorCheck[] | undefined> {
  try {
    return await withOwner({}, async ({ client }) => (await client.request("owner.doctor", {})).checks);
  } catch (error) {
    if (exitCodeOf(error) === ExitCode.unavailable) return undefined;
    throw error;
  }
}

async function checkHere(): Promise<DoctorCheck[]> {
  const { runDoctorAlone } = await import("../../server/doctor.js");
  return await runDoctorAlone(readEnv().paths);
}

function tell(output: Output, { name, ok, detail, repair }: DoctorCheck): void {
  output.line(`${ok ? "ok  " : "BAD "} ${name}: ${detail}`);
  if (!ok && repair !== undefined) output.line(`     ${repair}`);
}
