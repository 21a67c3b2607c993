/** One file's changes. */
import { useRead } from "../link/call.js";
import { S } from "../strings.js";
import { Diff } from "../text/diff.js";

export type SideOf = { staged?: boolean; commit?: string; base?: boolean };

export function FileDiff({ workspaceId, path, of }: { workspaceId: string; path: string; of: SideOf }) {
  const { data, error } = useRead("git.diff", path === "" ? undefined : { workspaceId, path, ...of });
  if (error !== undefined) return <p class="empty problem">{error}</p>;
  if (data === undefined) return <p class="empty">{S.loading}</p>;
  return (
    <div class="scroll">
      <p class="fine">
        <bdi>{data.path}</bdi>
        {data.oldPath !== undefined && (
          <>
            {" ← "}
            <bdi>{data.oldPath}</bdi>
          </>
        )}
      </p>
      {data.binary === true ? <p class="empty">{S.noDiff}</p> : <Diff hunks={data.hunks} />}
      {data.truncated === true && <p class="empty">{S.truncatedList}</p>}
    </div>
  );
}
