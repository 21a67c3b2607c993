/** A terminal, live: its rows as they fit this screen, the keys that a phone lacks, and a line to type. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RemoteSession } from "../../protocol/rpc.js";
import { TERMINAL_LINES } from "../limits.js";
import { call, useAction } from "../link/call.js";
import { client, has, list } from "../link/connection.js";
import { SessionMenu } from "../sessions/session-menu.js";
import { GitLine } from "../sessions/workspace-head.js";
import { S } from "../strings.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { TopBar } from "../ui/top-bar.js";
import { KeyRow } from "./key-row.js";
import { LineInput } from "./line-input.js";
import { ScreenView } from "./screen-view.js";
import { Typist } from "./typist.js";

const WRAP_KEY = "nexus.terminal.columns";
const SIZE_KEY = "nexus.terminal.size";
const SIZES_PX = [10, 11, 12, 13, 14, 16, 18, 21];
const USUAL_SIZE = 3;

export function TerminalPage({ session }: { session: RemoteSession }) {
  const { workspaceId, tabId } = session;
  const typist = useMemo(() => new Typist({ workspaceId, tabId }), [workspaceId, tabId]);
  const [columns, setColumns] = useState(localStorage.getItem(WRAP_KEY) === "1");
  const [size, setSize] = useState(Number(localStorage.getItem(SIZE_KEY) ?? USUAL_SIZE));
  const [ctrl, setCtrl] = useState(false);
  const [direct, setDirect] = useState(false);
  const canType = has("terminal.control");
  const workspace = list.value?.workspaces.find((one) => one.id === workspaceId);
  const resize = (by: number): void => {
    const next = Math.max(0, Math.min(SIZES_PX.length - 1, size + by));
    setSize(next);
    localStorage.setItem(SIZE_KEY, String(next));
  };
  const menu = [
    {
      icon: columns ? "wrap" : "columns",
      label: columns ? S.wrapOn : S.wrapOff,
      act: () => {
        setColumns(!columns);
        localStorage.setItem(WRAP_KEY, columns ? "0" : "1");
      },
    },
    { icon: "plus", label: S.larger, act: () => resize(1) },
    { icon: "down", label: S.smaller, act: () => resize(-1) },
  ] as const;
  return (
    <div class="page terminal-page">
      <TopBar
        title={session.title}
        subtitle={
          <>
            <span class={`state-dot ${session.state}`} /> {workspace?.name}
            {workspace?.git !== undefined && <GitLine git={workspace.git} />}
          </>
        }
      >
        <SessionMenu session={session} extra={menu} />
      </TopBar>
      <Screen session={session} columns={columns} fontPx={SIZES_PX[size] ?? 13} />
      <TerminalRequest session={session} />
      {canType && session.state !== "ended" ? (
        <div class="typing">
          {typist.waiting.value > 0 && !isUp() && (
            <p class="waiting-note" role="status">
              <Icon name="clock" size={14} /> {S.waitingText(typist.waiting.value)}
            </p>
          )}
          <KeyRow
            onKey={(key) => typist.key(key)}
            ctrl={ctrl}
            onCtrl={() => setCtrl(!ctrl)}
            direct={direct}
            onDirect={() => setDirect(!direct)}
          />
          <LineInput
            key={String(direct)}
            typist={typist}
            direct={direct}
            ctrl={ctrl}
            onCtrlUsed={() => setCtrl(false)}
          />
        </div>
      ) : (
        <p class="read-only">{session.state === "ended" ? (session.last ?? S.states.ended) : S.readOnly}</p>
      )}
    </div>
  );
}

function isUp(): boolean {
  return client.value?.state.state === "ready";
}

function Screen({ session, columns, fontPx }: { session: RemoteSession; columns: boolean; fontPx: number }) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const view = useRef<ScreenView | undefined>(undefined);
  const [follows, setFollows] = useState(true);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const { workspaceId, tabId } = session;
  const now = client.value;
  const mayLook = has("terminal.read");
  useEffect(() => {
    if (scroller.current === null || rows.current === null || now === undefined || !mayLook) return;
    const screen = new ScreenView(scroller.current, rows.current, setFollows);
    view.current = screen;
    const watch = now.watchTerminal(
      { workspaceId, tabId, ansi: true, lines: TERMINAL_LINES },
      {
        onChange: (text) => {
          setProblem(undefined);
          screen.show(text);
        },
        onError: (error) => setProblem(error.message),
      },
    );
    return () => {
      watch.close();
      screen.dispose();
    };
  }, [now, workspaceId, tabId, mayLook]);
  useEffect(() => {
    // the style of an element that is ours: the page's policy allows no style attribute
    if (rows.current !== null) rows.current.style.fontSize = `${fontPx / 16}rem`;
    view.current?.toEnd();
  }, [fontPx, columns]);
  return (
    <div class="screen-frame">
      <div
        ref={scroller}
        class={`screen${columns ? " columns" : ""}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keys
        tabIndex={0}
        role="region"
        aria-label={S.terminalScreen}
      >
        <div ref={rows} class="rows" />
      </div>
      {problem !== undefined && (
        <p class="screen-problem" role="alert">
          {problem}
        </p>
      )}
      {!follows && (
        <button type="button" class="to-end" onClick={() => view.current?.toEnd()}>
          <Icon name="down" size={18} /> {S.toEnd}
        </button>
      )}
    </div>
  );
}

/** An agent in this terminal waits for a decision that can be made without typing. */
function TerminalRequest({ session }: { session: RemoteSession }) {
  const { busy, run } = useAction();
  const { waiting, workspaceId, tabId } = session;
  const requestId = waiting?.requestId;
  if (waiting === undefined || requestId === undefined) return null;
  const answer = (decision: "allow" | "allowAlways" | "deny" | "denyStop") => () =>
    run(() => call("terminal.answer", { workspaceId, tabId, requestId, decision }));
  const mayAnswer = has("chat.control");
  return (
    <section class="card request" aria-label={S.permissionHere}>
      <h2>{S.permissionHere}</h2>
      <p class="request-detail">{waiting.text}</p>
      {mayAnswer && (
        <div class="request-buttons">
          <Button kind="primary" disabled={busy} onClick={answer("allow")}>
            {S.allow}
          </Button>
          <Button disabled={busy} onClick={answer("allowAlways")}>
            {S.allowAlways}
          </Button>
          <Button disabled={busy} onClick={answer("deny")}>
            {S.deny}
          </Button>
          <Button kind="danger" disabled={busy} onClick={answer("denyStop")}>
            {S.denyStop}
          </Button>
        </div>
      )}
    </section>
  );
}
