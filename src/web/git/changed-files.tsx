/** The files that a commit or the whole branch changed, with their counts. */
import { Link } from "wouter-preact";
import { useRead } from "../link/call.js";
import { toGit } from "../routes.js";
import { S } from "../strings.js";
import { PathName } from "./status.js";

export type DiffOf = { commit: string } | { base: true };

export function ChangedFiles({ workspaceId, of }: { workspaceId: string; of: DiffOf }) {
  const { data, error } = useRead("git.diff", { workspaceId, path: ".", ...of });
  if (error !== undefined) return <p class="empty problem">{error}</p>;
  if (data === undefined) return <p class="empty">{S.loading}</p>;
  const files = data.files ?? [];
  if (files.length === 0) return <p class="empty">{S.noDiff}</p>;
  return (
    <ul class="entries scroll">
      {files.map((file) => (
        <li key={file.path}>
          <Link
            class="entry"
            href={
              "commit" in of
                ? toGit(workspaceId, "in", `${of.commit}:${file.path}`)
                : toGit(workspaceId, "base", file.path)
            }
          >
            <PathName path={file.path} {...(file.oldPath === undefined ? {} : { old: file.oldPath })} />
            <Counts added={file.added} removed={file.removed} />
          </Link>
        </li>
      ))}
      {data.truncated === true && <li class="empty">{S.truncatedList}</li>}
    </ul>
  );
}

export function Counts({ added, removed }: { added: number | undefined; removed: number | undefined }) {
  return (
    <span class="counts">
      {added !== undefined && <span class="added">+{added}</span>}
      {removed !== undefined && <span class="removed">−{removed}</span>}
    </span>
  );
}
