/** Ids of workspaces and tabs: random, and free of what a shell or a URL would mind. */
import { randomBytes } from "node:crypto";

const ID_BYTES = 10;

export function newId(): string {
  return randomBytes(ID_BYTES).toString("hex");
}
