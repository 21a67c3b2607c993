/** The owner's answers to what agents of other devices ask, where the question shows: on a chat or a terminal. */
import type { ConsentAnswer, Consents } from "../policy/consents.js";
import { invalidParams, notFound } from "../protocol/errors.js";
import type { RpcParams } from "../protocol/rpc.js";
import type { ViewToolCall } from "../protocol/view.js";
import type { RequestContext } from "./context.js";

export type ConsentDesk = Pick<Consents, "list" | "on" | "open" | "answer">;

type ChatAnswer = Omit<RpcParams<"chat.answer">, "workspaceId" | "from">;

/** `always: [0]` remembers; `stop` denies and mutes. */
export async function answerChatConsent(
  consents: ConsentDesk,
  ctx: RequestContext,
  { tabId, requestId, decision, always = [], stop, updatedInput }: ChatAnswer,
): Promise<void> {
  if (updatedInput !== undefined) throw invalidParams("What is consented to is done as it was asked");
  if (decision === "deny" && always.length > 0) throw invalidParams("`always` goes with allow only");
  if (decision === "allow" && stop === true) throw invalidParams("`stop` goes with deny only");
  const consent = onTab(consents, tabId, requestId);
  if (always.some((index) => index > 0 || (consent !== undefined && consent.class !== "message"))) {
    throw invalidParams("The request has no such suggestion");
  }
  await answer(consents, ctx, requestId, {
    decision,
    ...(always.length > 0 ? { remember: true } : {}),
    ...(stop === true ? { mute: true } : {}),
  });
}

/** allowAlways remembers; denyStop denies and mutes. */
export async function answerTerminalConsent(
  consents: ConsentDesk,
  ctx: RequestContext,
  { tabId, requestId, decision }: Omit<RpcParams<"terminal.answer">, "workspaceId" | "from">,
): Promise<void> {
  onTab(consents, tabId, requestId);
  const answers: Record<typeof decision, ConsentAnswer> = {
    allow: { decision: "allow" },
    allowAlways: { decision: "allow", remember: true },
    deny: { decision: "deny" },
    denyStop: { decision: "deny", mute: true },
  };
  await answer(consents, ctx, requestId, answers[decision]);
}

/** The whole text, as a tool call's result; whoever opened it may allow it. */
export function openConsent(
  consents: ConsentDesk,
  ctx: RequestContext,
  { tabId, id }: { tabId: string; id: string },
): ViewToolCall {
  onTab(consents, tabId, id);
  const consent = consents.open(id, answererOf(ctx));
  return {
    toolUseId: id,
    name: consent.method,
    title: consent.title,
    input: {},
    state: "asking",
    result: { text: consent.text, images: [] },
  };
}

export function answererOf(ctx: RequestContext): Parameters<Consents["answer"]>[2] {
  const { deviceId, name, mayConsent } = ctx.caller;
  return { deviceId, name, mayConsent: mayConsent && ctx.from === undefined };
}

async function answer(
  consents: ConsentDesk,
  ctx: RequestContext,
  id: string,
  given: ConsentAnswer,
): Promise<void> {
  await consents.answer(id, given, answererOf(ctx));
}

/** One that waits on another tab is none of this tab's; one that is gone is for the consents to say. */
function onTab(consents: ConsentDesk, tabId: string, id: string) {
  const consent = consents.list().find((one) => one.id === id);
  if (consent !== undefined && consent.tabId !== tabId) throw notFound("request");
  return consent;
}
