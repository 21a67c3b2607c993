/** What a person calls a tab or a workspace, found in what there is. */
import { resolve, sep } from "node:path";
import { notFound } from "../protocol/errors.js";
import type { RemoteSession, RemoteWorkspace } from "../protocol/rpc.js";
import { type CommandFailure, usage } from "./exit.js";

/** Shorter starts of an id are more likely a typing error. */
const MIN_PREFIX_CHARS = 4;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** WORKSPACE/TAB by their ids: a tab that can be written to but is in no list, such as another agent's. */
const ADDRESS = /^([A-Za-z0-9_-]{8,64})\/([A-Za-z0-9_-]{8,64})$/;

function addressed(
  sessions: readonly RemoteSession[],
  [text, workspaceId = "", tabId = ""]: RegExpExecArray,
  kind: "terminal" | "chat" | "any",
): RemoteSession {
  const known = sessions.find((session) => session.tabId === tabId && session.workspaceId === workspaceId);
  if (known !== undefined) return known;
  return {
    workspaceId,
    tabId,
    kind: kind === "terminal" ? "terminal" : "claude",
    title: text,
    state: "idle",
  };
}

/** A tab by its id, a start of its id that no other has, or its title. Throws NotFound, or usage when it could be several. */
export function findTab(
  sessions: readonly RemoteSession[],
  text: string,
  kind: "terminal" | "chat" | "any" = "any",
): RemoteSession {
  const address = ADDRESS.exec(text);
  if (address !== null) return addressed(sessions, address, kind);
  const fitting = sessions.filter((session) => fits(session, kind));
  const byId = new Map(fitting.map((session) => [session.tabId, session]));
  const found = findOne(
    fitting.map(({ tabId, title }) => ({ id: tabId, name: title })),
    text,
    kind === "any" ? "tab" : kind,
  );
  const session = byId.get(found);
  if (session === undefined) throw notFound("tab");
  return session;
}

function fits(session: RemoteSession, kind: "terminal" | "chat" | "any"): boolean {
  return kind === "any" || (session.kind === "terminal") === (kind === "terminal");
}

export interface WorkspaceHint {
  /** What the person named. */
  readonly text: string | undefined;
  /** The workspace of the tab that this runs in. */
  readonly own: string | undefined;
  /** The folder that this runs in, when the daemon is of the same machine. */
  readonly folder: string | undefined;
}

/** The named workspace; else the tab's own, the one around the folder, or the only one that is no manager. */
export function findWorkspace(workspaces: readonly RemoteWorkspace[], hint: WorkspaceHint): RemoteWorkspace {
  const { text, own, folder } = hint;
  const byId = (id: string | undefined): RemoteWorkspace | undefined =>
    workspaces.find((one) => one.id === id);
  if (text !== undefined) {
    const byPath = workspaces.find(({ path }) => path === text || path === resolve(text));
    const found = byPath ?? byId(findOne(workspaces, text, "workspace"));
    if (found === undefined) throw notFound("workspace");
    return found;
  }
  const around = folder === undefined ? [] : workspaces.filter(({ path }) => isInside(folder, path));
  const nearest = around.sort((a, b) => b.path.length - a.path.length)[0];
  const others = workspaces.filter(({ manager }) => manager !== true);
  const only = others.length === 1 ? others[0] : undefined;
  const chosen = byId(own) ?? nearest ?? only;
  if (chosen !== undefined) return chosen;
  if (others.length === 0) throw usage("There is no workspace; add a folder with nexusd add");
  throw usage(`Name a workspace with --workspace: ${others.map(({ name }) => name).join(", ")}`);
}

function isInside(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The id of the one thing that `text` names. */
function findOne(things: readonly Named[], text: string, what: string): string {
  const exact = things.find(({ id }) => id === text);
  if (exact !== undefined) return exact.id;
  const named = things.filter(({ name }) => name === text);
  const near =
    named.length > 0
      ? named
      : things.filter(({ id }) => text.length >= MIN_PREFIX_CHARS && id.startsWith(text));
  const [only] = near;
  if (only === undefined) throw notFound(what);
  if (near.length > 1) throw several(text, near);
  return only.id;
}

function several(text: string, near: readonly Named[]): CommandFailure {
  const list = near.map(({ id, name }) => `${id} (${name})`).join(", ");
  return usage(`${JSON.stringify(text)} could be several: ${list}; use an id`);
}
