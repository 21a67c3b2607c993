/** The way from a workspace's own folder to where one is. */
import { Link } from "wouter-preact";
import { toFiles } from "../routes.js";
import { S } from "../strings.js";

export function Crumbs({ workspaceId, path, root }: { workspaceId: string; path: string; root: string }) {
  const parts = path === "" ? [] : path.split("/");
  return (
    <nav class="crumbs" aria-label={S.folder}>
      <Link href={toFiles(workspaceId)}>{root}</Link>
      {parts.map((part, index) => (
        <span key={index}>
          <span aria-hidden="true">/</span>
          {index === parts.length - 1 ? (
            <bdi>{part}</bdi>
          ) : (
            <Link href={toFiles(workspaceId, parts.slice(0, index + 1).join("/"))}>
              <bdi>{part}</bdi>
            </Link>
          )}
        </span>
      ))}
    </nav>
  );
}
