/** A workspace's files: folders to walk through, text with colours, pictures. */
import { useLocation } from "wouter-preact";
import { useRead } from "../link/call.js";
import { has, list } from "../link/connection.js";
import { toFiles } from "../routes.js";
import { S } from "../strings.js";
import { IconButton } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { bytesOf } from "../ui/time.js";
import { TopBar } from "../ui/top-bar.js";
import { Crumbs } from "./crumbs.js";
import { FileView } from "./file-view.js";

/** A path ends in this mark when it names a file: folders and files are told apart before they are asked for. */
const FILE_MARK = "\u0001";

export function FilesPage({ workspaceId, path }: { workspaceId: string; path: string }) {
  const isFile = path.endsWith(FILE_MARK);
  const clean = isFile ? path.slice(0, -1) : path;
  const workspace = list.value?.workspaces.find((one) => one.id === workspaceId);
  const parent = clean.includes("/") ? clean.slice(0, clean.lastIndexOf("/")) : "";
  const name = clean.slice(clean.lastIndexOf("/") + 1);
  return (
    <div class="page files-page">
      <TopBar
        title={name === "" ? (workspace?.name ?? S.files) : name}
        subtitle={workspace?.path}
        backTo={clean === "" ? "/" : toFiles(workspaceId, parent)}
      />
      <Crumbs workspaceId={workspaceId} path={clean} root={workspace?.name ?? S.files} />
      {!has("files") ? (
        <p class="empty">{S.noFiles}</p>
      ) : isFile ? (
        <FileView workspaceId={workspaceId} path={clean} />
      ) : (
        <Folder workspaceId={workspaceId} path={clean} />
      )}
    </div>
  );
}

function Folder({ workspaceId, path }: { workspaceId: string; path: string }) {
  const [, go] = useLocation();
  const { data, error, loading, again } = useRead("files.list", { workspaceId, path });
  if (error !== undefined) {
    return (
      <p class="empty problem">
        {error}
        <IconButton icon="retry" label={S.retry} onClick={again} />
      </p>
    );
  }
  if (data === undefined) return <p class="empty">{loading ? S.loading : ""}</p>;
  if (data.entries.length === 0) return <p class="empty">{S.emptyFolder}</p>;
  return (
    <ul class="entries scroll">
      {data.entries.map(({ name, kind, size }) => {
        const to = path === "" ? name : `${path}/${name}`;
        return (
          <li key={name}>
            <button
              type="button"
              class={`entry ${kind}`}
              onClick={() => go(toFiles(workspaceId, kind === "dir" ? to : `${to}${FILE_MARK}`))}
            >
              <Icon name={kind === "dir" ? "folder" : kind === "link" ? "link" : "file"} size={18} />
              <bdi class="entry-name">{name}</bdi>
              {size !== undefined && <span class="entry-size">{bytesOf(size)}</span>}
              {kind === "dir" && <Icon name="right" size={16} />}
            </button>
          </li>
        );
      })}
      {data.truncated === true && <li class="empty">{S.truncatedList}</li>}
    </ul>
  );
}
