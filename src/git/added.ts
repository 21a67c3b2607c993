/** A file that git does not know yet, as git would show it once it was added. */
import type { RpcResult } from "../protocol/rpc.js";
import { readHunks } from "./patch.js";

/** What an untracked name holds: a file's bytes or a link's target. */
export interface WorkTreeFile {
  readonly data: Buffer;
  /** Whether there is more than `data`. */
  readonly more: boolean;
}

/** git looks this far for a NUL. */
const BINARY_SNIFF_BYTES = 8000;

/** One hunk of added lines; none for an empty file. */
export function addedFile(file: WorkTreeFile, budgetBytes: number): Omit<RpcResult<"git.diff">, "path"> {
  if (file.data.subarray(0, BINARY_SNIFF_BYTES).includes(0)) return { binary: true, hunks: [] };
  const text = file.data.toString("utf8");
  if (text === "") return { hunks: [] };
  const lines = text.split("\n");
  const ended = lines.at(-1) === "";
  if (ended) lines.pop();
  const added = lines.map((line) => `+${line}`);
  const end = ended || file.more ? "" : "\n\\ No newline at end of file";
  const patch = `@@ -0,0 +1,${added.length} @@\n${added.join("\n")}${end}\n`;
  const { hunks, truncated } = readHunks(patch, { budgetBytes, cut: file.more });
  return { hunks, ...(truncated ? { truncated: true } : {}) };
}
