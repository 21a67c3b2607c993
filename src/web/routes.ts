/** Addresses inside the page. Ids and paths go in as plain letters, whatever they hold (also half a surrogate pair). */

export function segment(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, (unit) => `~${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function unsegment(text: string): string {
  return text.replace(/~([0-9a-f]{4})/g, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

export const toSession = (workspaceId: string, tabId: string): string =>
  `/s/${segment(workspaceId)}/${segment(tabId)}`;

export const toFiles = (workspaceId: string, path = ""): string =>
  path === "" ? `/w/${segment(workspaceId)}/files` : `/w/${segment(workspaceId)}/files/${segment(path)}`;

export const toGit = (workspaceId: string, view = "changes", of = ""): string =>
  `/w/${segment(workspaceId)}/git/${view}${of === "" ? "" : `/${segment(of)}`}`;
