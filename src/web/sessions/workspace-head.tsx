/** A workspace over its sessions: its branch, how it stands, and the ways to its files and git. */
import { Link } from "wouter-preact";
import type { RemoteWorkspace } from "../../protocol/rpc.js";
import { has } from "../link/connection.js";
import { toFiles, toGit } from "../routes.js";
import { S } from "../strings.js";
import { Icon } from "../ui/icon.js";

export function WorkspaceHead({ workspace }: { workspace: RemoteWorkspace }) {
  return (
    <div class={`workspace-head${workspace.parentId === undefined ? "" : " task"}`}>
      <div class="workspace-words">
        <h2 title={workspace.path}>
          {workspace.name}
          {workspace.parentId !== undefined && <span class="tag">{S.task}</span>}
          {workspace.manager === true && <span class="tag">{S.manager}</span>}
        </h2>
        {workspace.git !== undefined && <GitLine git={workspace.git} />}
      </div>
      {has("files") && (
        <Link href={toFiles(workspace.id)} class="icon-button" aria-label={`${S.files}: ${workspace.name}`}>
          <Icon name="folder" />
        </Link>
      )}
      {has("git") && workspace.git !== undefined && (
        <Link href={toGit(workspace.id)} class="icon-button" aria-label={`${S.git}: ${workspace.name}`}>
          <Icon name="branch" />
        </Link>
      )}
    </div>
  );
}

export function GitLine({ git }: { git: NonNullable<RemoteWorkspace["git"]> }) {
  return (
    <span class="git-line">
      <Icon name="branch" size={12} />
      <span class="git-branch">{git.branch ?? S.noBranch}</span>
      {git.ahead > 0 && <span title={S.ahead(git.ahead)}>↑{git.ahead}</span>}
      {git.behind > 0 && <span title={S.behind(git.behind)}>↓{git.behind}</span>}
      {git.uncommitted > 0 && <span class="dirty">{S.uncommitted(git.uncommitted)}</span>}
    </span>
  );
}
