/** sessions.*, events.read and profiles.list. */

import type { Profiles } from "../sessions/profiles.js";
import type { Sessions, SessionsView } from "../sessions/sessions.js";
import type { WatchHub } from "../watches/hub.js";
import { watchSessions } from "../watches/sessions.js";
import type { Caller, HandlersOf } from "./context.js";

const DEFAULT_EVENTS = 100;

export interface SessionsDeps {
  readonly sessions: Sessions;
  readonly profiles: Profiles;
  readonly hub: WatchHub;
}

/** What a caller may see of the list: its rights decide on texts, its kind on tabs. */
function viewOf(caller: Caller): SessionsView {
  return {
    chatRead: caller.can("chat.read"),
    terminalRead: caller.can("terminal.read"),
    sees: (tabId) => caller.sees(tabId),
    onlyItsTabs: caller.onlyItsTabs,
  };
}

export function createSessionsMethods(
  deps: SessionsDeps,
): HandlersOf<"sessions"> & HandlersOf<"events"> & HandlersOf<"profiles"> {
  const { sessions, profiles, hub } = deps;
  return {
    "sessions.list": (ctx) => sessions.list(viewOf(ctx.caller)),
    "sessions.watch": (ctx) => {
      const watch = hub.open(ctx.link, { kind: "sessions", capability: "sessions", tabId: undefined });
      const feed = {
        list: () => sessions.list(viewOf(ctx.caller)),
        onChange: (listener: () => void) => sessions.onChange(listener),
      };
      const list = watchSessions(feed, watch, {
        answered: ctx.answered,
        deliver: (update) => ctx.link.deliver("sessions.update", update),
      });
      return { ...list, watchId: watch.id };
    },
    "sessions.unwatch": (ctx, { watchId }) => {
      hub.close(ctx.link, "sessions", watchId);
      return {};
    },
    "events.read": (ctx, { since, limit }) =>
      sessions.events.read({ since, limit: limit ?? DEFAULT_EVENTS, view: viewOf(ctx.caller) }),
    "profiles.list": (_ctx, { agent }) => ({ profiles: profiles.list(agent) }),
  };
}
