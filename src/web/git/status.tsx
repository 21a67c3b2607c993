/** What is changed and not committed, staged first. */
import { Link } from "wouter-preact";
import type { GitFile } from "../../protocol/rpc.js";
import { useRead } from "../link/call.js";
import { list } from "../link/connection.js";
import { toGit } from "../routes.js";
import { S } from "../strings.js";
import { IconButton } from "../ui/button.js";

export function Status({ workspaceId }: { workspaceId: string }) {
  // looked at again when the list says that something changed
  const uncommitted = list.value?.workspaces.find((one) => one.id === workspaceId)?.git?.uncommitted;
  return <StatusOf key={uncommitted} workspaceId={workspaceId} />;
}

function StatusOf({ workspaceId }: { workspaceId: string }) {
  const { data, error, again } = useRead("git.status", { workspaceId });
  if (error !== undefined) return <p class="empty problem">{error}</p>;
  if (data === undefined) return <p class="empty">{S.loading}</p>;
  const staged = data.files.filter((file) => file.staged !== undefined);
  const unstaged = data.files.filter((file) => file.unstaged !== undefined);
  return (
    <div class="scroll">
      <p class="git-upstream">
        <span>
          {data.branch ?? S.noBranch}
          {data.upstream !== undefined && ` → ${data.upstream}`}
          {data.ahead > 0 && ` ↑${data.ahead}`}
          {data.behind > 0 && ` ↓${data.behind}`}
        </span>
        <IconButton icon="retry" label={S.retry} onClick={again} />
      </p>
      {data.files.length === 0 && <p class="empty">{S.clean}</p>}
      <Files workspaceId={workspaceId} title={S.staged} files={staged} side="staged" />
      <Files workspaceId={workspaceId} title={S.unstaged} files={unstaged} side="unstaged" />
      {data.truncated === true && <p class="empty">{S.truncatedList}</p>}
    </div>
  );
}

interface FilesProps {
  workspaceId: string;
  title: string;
  files: readonly GitFile[];
  side: "staged" | "unstaged";
}

function Files({ workspaceId, title, files, side }: FilesProps) {
  if (files.length === 0) return null;
  return (
    <section class="group">
      <h2 class="group-head">
        {title} <span>{files.length}</span>
      </h2>
      <ul class="entries">
        {files.map((file) => {
          const letter = file[side] ?? "";
          return (
            <li key={file.path}>
              <Link class="entry" href={toGit(workspaceId, side, file.path)}>
                <span
                  class={`git-letter l-${letter === "?" ? "new" : letter}`}
                  title={S.letters[letter] ?? letter}
                >
                  {letter}
                </span>
                <PathName path={file.path} {...(file.oldPath === undefined ? {} : { old: file.oldPath })} />
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The file's name first: on a phone the folders before it would hide it. */
export function PathName({ path, old }: { path: string; old?: string }) {
  const at = path.replace(/\/$/, "").lastIndexOf("/");
  return (
    <span class="path-name">
      <bdi class="entry-name">{path.slice(at + 1)}</bdi>
      {at > 0 && <bdi class="path-folder">{path.slice(0, at)}</bdi>}
      {old !== undefined && <bdi class="path-folder">← {old}</bdi>}
    </span>
  );
}
