/** Whether a terminal can be closed without ending anything that someone started. */
import { unavailable } from "../../protocol/errors.js";
import type { Activity } from "./activity.js";
import type { Program } from "./program.js";

/** Unavailable with the name of what runs: a foreground program, a job, or a command of the shell's own. */
export async function refuseBusy(program: Program, activity: Activity): Promise<void> {
  const others = await program.others();
  const name = others[0]?.name ?? (activity.rootProgram ? activity.foreground : undefined);
  if (name !== undefined) {
    throw unavailable(`${name} still runs in this terminal, close it with force to end it`);
  }
  // Before its first prompt a shell reads its own files, which may be ended at any time.
  if (activity.phase === "running" && activity.promptAt > 0) {
    throw unavailable("A command still runs in this terminal, close it with force to end it");
  }
}
