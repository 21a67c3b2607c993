/** How results of files.* are cut to what one answer takes; the schema's `truncated` says so. */
import { cutToJson, jsonBytes } from "../protocol/cut.js";
import { unavailable } from "../protocol/errors.js";
import type { RpcResult } from "../protocol/rpc.js";

/** The keys, numbers and punctuation beside the texts of a result. */
const OVERHEAD_BYTES = 256;

/** `{"name":,"kind":"link","size":9007199254740991},` without the name. */
const ENTRY_BYTES = 48;

/** Leaves out the last entries. */
export function fitFilesList(result: RpcResult<"files.list">, budgetBytes: number): RpcResult<"files.list"> {
  let left = budgetBytes - OVERHEAD_BYTES - jsonBytes(result.path);
  const end = result.entries.findIndex(({ name }) => {
    left -= jsonBytes(name) + ENTRY_BYTES;
    return left < 0;
  });
  return end === -1 ? result : { ...result, entries: result.entries.slice(0, end), truncated: true };
}

/** Cuts the text. An image that is too large is Unavailable: it was to be made for this budget. */
export function fitFilesRead(result: RpcResult<"files.read">, budgetBytes: number): RpcResult<"files.read"> {
  const left = budgetBytes - OVERHEAD_BYTES - jsonBytes(result.path);
  if (result.kind === "text") {
    const { text, cut } = cutToJson(result.text, left);
    return cut ? { ...result, text, truncated: true } : result;
  }
  if (result.kind === "image" && result.data.length + 2 > left) {
    throw unavailable("This image cannot be made small enough to send");
  }
  return result;
}

/** Most bytes of an image, before base64, in a result that says `path`. */
export function imageBudget(path: string, budgetBytes: number): number {
  return Math.floor((budgetBytes - OVERHEAD_BYTES - jsonBytes(path) - 2) / 4) * 3;
}
