/** A workspace's git: what changed, the log, and the diffs of both. */
import { Link } from "wouter-preact";
import { has, list } from "../link/connection.js";
import { toGit } from "../routes.js";
import { GitLine } from "../sessions/workspace-head.js";
import { S } from "../strings.js";
import { TopBar } from "../ui/top-bar.js";
import { ChangedFiles } from "./changed-files.js";
import { FileDiff } from "./file-diff.js";
import { Log } from "./log.js";
import { Status } from "./status.js";

/** `of` names what the view is of: a file's path, a commit, or both. */
export function GitPage({ workspaceId, view, of }: { workspaceId: string; view: string; of: string }) {
  const workspace = list.value?.workspaces.find((one) => one.id === workspaceId);
  const deep = !["changes", "log", "branch"].includes(view);
  return (
    <div class="page git-page">
      <TopBar
        title={deep ? titleOf(view, of) : (workspace?.name ?? S.git)}
        subtitle={workspace?.git === undefined ? undefined : <GitLine git={workspace.git} />}
        backTo={backOf(workspaceId, view, of)}
      />
      {!deep && (
        <nav class="segments" aria-label={S.git}>
          {(["changes", "branch", "log"] as const).map((name) => (
            <Link
              key={name}
              href={toGit(workspaceId, name)}
              {...(view === name ? { "aria-current": "page" as const } : {})}
            >
              {{ changes: S.changes, branch: S.branchChanges, log: S.log }[name]}
            </Link>
          ))}
        </nav>
      )}
      {has("git") ? <View workspaceId={workspaceId} view={view} of={of} /> : <p class="empty">{S.noGit}</p>}
    </div>
  );
}

function View({ workspaceId, view, of }: { workspaceId: string; view: string; of: string }) {
  switch (view) {
    case "log":
      return <Log workspaceId={workspaceId} />;
    case "branch":
      return <ChangedFiles workspaceId={workspaceId} of={{ base: true }} />;
    case "commit":
      return <ChangedFiles workspaceId={workspaceId} of={{ commit: of }} />;
    case "staged":
      return <FileDiff workspaceId={workspaceId} path={of} of={{ staged: true }} />;
    case "unstaged":
      return <FileDiff workspaceId={workspaceId} path={of} of={{}} />;
    case "base":
      return <FileDiff workspaceId={workspaceId} path={of} of={{ base: true }} />;
    case "in": {
      const [commit = "", path = ""] = splitOnce(of);
      return <FileDiff workspaceId={workspaceId} path={path} of={{ commit }} />;
    }
    default:
      return <Status workspaceId={workspaceId} />;
  }
}

function splitOnce(of: string): [string, string] {
  const at = of.indexOf(":");
  return [of.slice(0, at), of.slice(at + 1)];
}

function titleOf(view: string, of: string): string {
  if (view === "commit") return of.slice(0, 10);
  const path = view === "in" ? splitOnce(of)[1] : of;
  return path.slice(path.lastIndexOf("/") + 1);
}

function backOf(workspaceId: string, view: string, of: string): string {
  switch (view) {
    case "staged":
    case "unstaged":
      return toGit(workspaceId);
    case "base":
      return toGit(workspaceId, "branch");
    case "commit":
      return toGit(workspaceId, "log");
    case "in":
      return toGit(workspaceId, "commit", splitOnce(of)[0]);
    default:
      return "/";
  }
}
