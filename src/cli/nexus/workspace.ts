/** The workspace that a verb is about. */
import type { CommonOptions } from "../command.js";
import type { Session } from "../connect.js";
import { readEnv } from "../env.js";
import { findWorkspace } from "../names.js";

export const WORKSPACE = "the workspace: its name, id or path; the one around this folder without it";

export interface WorkspaceOptions extends CommonOptions {
  readonly workspace?: string;
}

/** The id of the named one, else of the tab, the current folder or the only one there is. */
export async function workspaceOf(session: Session, text: string | undefined): Promise<string> {
  const { workspaces } = await session.client.call("sessions.list", {}, session.call);
  const here = session.over !== "device";
  return findWorkspace(workspaces, {
    text,
    own: here ? readEnv().tab?.workspaceId : undefined,
    folder: here ? process.cwd() : undefined,
  }).id;
}
