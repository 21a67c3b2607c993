/**
 * The items of a chat. Only a window of them stands in the document; it moves
 * with the scrolling, and what one looks at stays where it is.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CHAT_PAGE_ITEMS, EARLIER_PX, FOLLOW_PX, MAX_SHOWN_ITEMS } from "../limits.js";
import { call, messageOf } from "../link/call.js";
import type { TabRef } from "../sessions/session-page.js";
import { S } from "../strings.js";
import { Icon } from "../ui/icon.js";
import { toast } from "../ui/toast.js";
import type { ChatStore, ChatView } from "./chat-store.js";
import { ItemRow } from "./item-row.js";
import type { Outbox } from "./outbox.js";
import { OutgoingRow } from "./outgoing-row.js";
import { earlier, follow, later, type Range } from "./range.js";
import { WorkingRow } from "./working-row.js";

export function ChatList({ store, outbox, tab }: { store: ChatStore; outbox: Outbox; tab: TabRef }) {
  const view = store.view.value;
  const outgoing = outbox.messages.value;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const anchor = useRef<{ key: string; top: number } | undefined>(undefined);
  const follows = useRef(true);
  const loading = useRef(false);
  const [away, setAway] = useState(false);
  const [range, setRange] = useState<Range>({ from: 0, to: undefined });
  const end = view === undefined ? 0 : view.first + view.items.length;
  const shown = follows.current ? follow(end, view?.first ?? 0) : range;

  const keepEnd = useCallback(() => {
    const element = scroller.current;
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight;
  }, []);
  useEffect(() => {
    if (content.current === null || scroller.current === null) return;
    const observer = new ResizeObserver(keepEnd);
    observer.observe(content.current);
    observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [keepEnd]);
  useLayoutEffect(() => {
    const element = scroller.current;
    const held = anchor.current;
    anchor.current = undefined;
    if (element === null || held === undefined || follows.current) return;
    const row = element.querySelector(`[data-key="${CSS.escape(held.key)}"]`);
    if (row !== null) element.scrollTop += row.getBoundingClientRect().top - held.top;
  });
  useEffect(() => {
    if (outgoing.length > 0) toLatest();
  }, [outgoing.length]);

  const hold = (): void => {
    const top = scroller.current?.getBoundingClientRect().top ?? 0;
    for (const row of content.current?.querySelectorAll<HTMLElement>("[data-key]") ?? []) {
      const box = row.getBoundingClientRect();
      if (box.bottom <= top) continue;
      anchor.current = { key: row.dataset.key ?? "", top: box.top };
      return;
    }
  };
  const readEarlier = async (before: number): Promise<void> => {
    loading.current = true;
    try {
      const page = await call("chat.read", { ...tab, before, limit: CHAT_PAGE_ITEMS });
      hold();
      store.prepend(page);
      setRange((now) => earlier(now, page.start, end));
    } catch (error) {
      toast(messageOf(error), "error");
    } finally {
      loading.current = false;
    }
  };
  const scrolled = (): void => {
    const element = scroller.current;
    if (element === null || view === undefined) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    const atEnd = below < FOLLOW_PX && shown.to === undefined;
    if (atEnd !== follows.current) {
      follows.current = atEnd;
      setAway(!atEnd);
      if (!atEnd) setRange(shown);
    }
    if (element.scrollTop < EARLIER_PX && !loading.current) {
      if (shown.from > view.first) {
        hold();
        setRange(earlier(shown, view.first, end));
      } else if (view.first > 0) void readEarlier(view.first);
    } else if (below < EARLIER_PX && shown.to !== undefined) {
      hold();
      setRange(later(shown, end));
    }
  };
  const toLatest = (): void => {
    follows.current = true;
    setAway(false);
    setRange(follow(end, view?.first ?? 0));
    requestAnimationFrame(keepEnd);
  };
  return (
    <div class="chat-frame">
      <div
        class="chat-scroll"
        ref={scroller}
        onScroll={scrolled}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={S.newChat}
      >
        <div class="chat-items" ref={content}>
          {view !== undefined && <Rows view={view} range={shown} />}
          {outgoing.map((message) => (
            <OutgoingRow key={message.id} message={message} outbox={outbox} />
          ))}
          {view !== undefined && <WorkingRow status={view.status} />}
          {view !== undefined && view.items.length === 0 && outgoing.length === 0 && (
            <p class="empty">
              <strong>{S.emptyChat}</strong>
              {S.emptyChatHint}
            </p>
          )}
          {view === undefined && <p class="empty">{S.loading}</p>}
        </div>
      </div>
      {away && (
        <button type="button" class="to-end" onClick={toLatest}>
          <Icon name="down" size={18} /> {S.jumpToLatest}
        </button>
      )}
    </div>
  );
}

function Rows({ view, range }: { view: ChatView; range: Range }) {
  const from = Math.max(0, range.from - view.first);
  const to = range.to === undefined ? view.items.length : range.to - view.first;
  return (
    <>
      <p class="chat-top">{from + view.first > 0 ? S.earlier : view.items.length > 0 ? S.beginning : ""}</p>
      {view.items.slice(from, Math.min(to, from + 2 * MAX_SHOWN_ITEMS)).map((item) => {
        const tool = item.kind === "tool" ? view.tools[item.toolUseId] : undefined;
        const task = tool?.taskId === undefined ? undefined : view.tasks[tool.taskId];
        const inside =
          tool === undefined
            ? undefined
            : (view.agentItems[tool.toolUseId] ??
              (tool.taskId === undefined ? undefined : view.agentItems[tool.taskId]));
        return (
          <ItemRow
            key={item.key}
            item={item}
            tool={tool}
            task={task}
            inside={inside}
            tools={inside === undefined ? undefined : view.tools}
          />
        );
      })}
    </>
  );
}
