/** Which git answers: asked outside of any repository, so over simple-git, whose answer is parsed. */
import { simpleGit } from "simple-git";
import type { GitEnvironment } from "./env.js";

/** The oldest git that the silenced runs were measured with; before it, safe.bareRepository is not known. */
const OLDEST = { major: 2, minor: 38 };

/** Resolves to the version as git says it; rejects with a sentence when there is none, or when it is too old. */
export async function gitVersion({ path, home }: GitEnvironment): Promise<string> {
  const { installed, major, minor, patch } = await simpleGit().env({ PATH: path, HOME: home }).version();
  if (!installed) throw new Error("git is not on the PATH");
  const version = `git ${major}.${minor}.${patch}`;
  if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
    throw new Error(`${version} is older than ${OLDEST.major}.${OLDEST.minor}`);
  }
  return version;
}
