/** What can be done with a session as such: its files, its git, another title, its end. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { RpcErrorCode, RpcFailure } from "../../protocol/errors.js";
import type { RemoteSession } from "../../protocol/rpc.js";
import { call, useAction } from "../link/call.js";
import { has } from "../link/connection.js";
import { toFiles, toGit } from "../routes.js";
import { S } from "../strings.js";
import { IconButton } from "../ui/button.js";
import { Icon, type IconName } from "../ui/icon.js";
import { Sheet } from "../ui/sheet.js";

export interface MenuEntry {
  readonly icon: IconName;
  readonly label: string;
  readonly pressed?: boolean;
  readonly danger?: boolean;
  act(): void;
}

export function SessionMenu({
  session,
  extra = [],
}: {
  session: RemoteSession;
  extra?: readonly MenuEntry[];
}) {
  const [open, setOpen] = useState(false);
  const [, go] = useLocation();
  const { run } = useAction();
  const { workspaceId, tabId, kind } = session;
  const tab = { workspaceId, tabId };
  const space = kind === "terminal" ? "terminal" : "chat";
  const entries: MenuEntry[] = [
    ...extra,
    ...(has("files")
      ? [{ icon: "folder", label: S.files, act: () => go(toFiles(workspaceId)) } as const]
      : []),
    ...(has("git") ? [{ icon: "branch", label: S.git, act: () => go(toGit(workspaceId)) } as const] : []),
    ...(has(`${space}.control`)
      ? ([
          {
            icon: "pen",
            label: S.rename,
            act: () => {
              const title = prompt(S.newTitle, session.title)?.trim();
              if (title) run(() => call(`${space}.rename`, { ...tab, title }));
            },
          },
          {
            icon: "close",
            label: S.closeSession,
            danger: true,
            act: () => run(() => closeSession(session, () => go("/"))),
          },
        ] as const)
      : []),
  ];
  return (
    <>
      <IconButton icon="more" label={S.more} onClick={() => setOpen(true)} />
      {open && (
        <Sheet title={session.title} onClose={() => setOpen(false)}>
          <ul class="menu">
            {entries.map(({ icon, label, act, danger, pressed }) => (
              <li key={label}>
                <button
                  type="button"
                  class={`menu-row${danger === true ? " danger" : ""}`}
                  onClick={() => {
                    setOpen(false);
                    act();
                  }}
                >
                  <Icon name={icon} />
                  {label}
                  {pressed === true && <Icon name="check" size={16} />}
                </button>
              </li>
            ))}
          </ul>
        </Sheet>
      )}
    </>
  );
}

async function closeSession({ workspaceId, tabId, kind }: RemoteSession, gone: () => void): Promise<void> {
  if (!confirm(S.closeAsk)) return;
  if (kind !== "terminal") await call("chat.close", { workspaceId, tabId });
  else {
    try {
      await call("terminal.close", { workspaceId, tabId });
    } catch (error) {
      const busy = error instanceof RpcFailure && error.code === RpcErrorCode.Unavailable;
      if (!busy || !confirm(S.closeForce)) throw error;
      await call("terminal.close", { workspaceId, tabId, force: true });
    }
  }
  gone();
}
