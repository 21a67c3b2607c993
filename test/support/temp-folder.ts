/** A folder of one test, gone when the test is over. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Its real path. */
export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nexusd-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
