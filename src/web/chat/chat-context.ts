/** Which chat an item belongs to, for those deep inside that ask for more of it. */
import { createContext } from "preact";
import type { TabRef } from "../sessions/session-page.js";

export const ChatContext = createContext<TabRef>({ workspaceId: "", tabId: "" });
