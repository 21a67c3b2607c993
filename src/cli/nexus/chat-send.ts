/** nexus chat send and answer: what is said to an agent. */
import type { PermissionRequest } from "../../protocol/view.js";
import type { CommonOptions } from "../command.js";
import { type Session, withClient } from "../connect.js";
import { usage } from "../exit.js";
import { createOutput } from "../output.js";
import { messageText } from "./chat-text.js";
import { type ChatRef, chatTab, refOf } from "./chat-verbs.js";
import { waitOn } from "./chat-wait.js";

export async function send(
  tab: string,
  text: string | undefined,
  options: CommonOptions & { wait?: boolean },
): Promise<void> {
  const output = createOutput(options);
  const message = await messageText(text);
  await withClient(options, async (session) => {
    const ref = refOf(await chatTab(session, tab));
    const sent = await session.client.call("chat.send", { ...ref, text: message }, session.call);
    if (options.wait !== true) {
      output.value(sent);
      output.line(sent.at === undefined ? "Sent" : String(sent.at));
      return;
    }
    const after = sent.at === undefined ? {} : { after: sent.at };
    await waitOn(session, { ...ref, ...after }, { output, timeout: options.timeout });
  });
}

const DECISIONS = ["allow", "always", "deny", "stop"] as const;
type Decision = (typeof DECISIONS)[number];

export async function answer(
  tab: string,
  word: string,
  options: CommonOptions & { request?: string; message?: string },
): Promise<void> {
  const output = createOutput(options);
  const decision = DECISIONS.find((known) => known === word);
  if (decision === undefined) throw usage(`A decision is one of ${DECISIONS.join(", ")}`);
  await withClient(options, async (session) => {
    const ref = refOf(await chatTab(session, tab));
    const request = await requestOf(session, ref, options.request);
    const params = { ...ref, requestId: request.requestId, ...answerOf(decision, request, options.message) };
    output.value(await session.client.call("chat.answer", params, session.call));
    output.line("Answered");
  });
}

async function requestOf(
  { client, call }: Session,
  ref: ChatRef,
  id: string | undefined,
): Promise<PermissionRequest> {
  const { status } = await client.call("chat.read", { ...ref, limit: 1 }, call);
  const request = id === undefined ? status.requests[0] : status.requests.find((one) => one.requestId === id);
  if (request === undefined) throw usage("Nothing waits for an answer in this chat");
  return request;
}

function answerOf(decision: Decision, { suggestions }: PermissionRequest, message: string | undefined) {
  const why = message === undefined ? {} : { message };
  switch (decision) {
    case "allow":
      return { decision } as const;
    case "always":
      if (suggestions.length === 0) throw usage("This can only be allowed once");
      return { decision: "allow" as const, always: [0] };
    case "deny":
      return { decision, ...why } as const;
    case "stop":
      return { decision: "deny" as const, stop: true, ...why };
  }
}
