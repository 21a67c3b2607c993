/** What went wrong with the API, in plain words and with what to do. */
import type { TurnEnd } from "../../driver.js";
import { clip, oneLine } from "../../text.js";

export type Failure = NonNullable<TurnEnd["error"]>;

/** How much of the program's own words follow ours. */
const DETAIL_CHARS = 300;

const WORDS: Readonly<Record<string, { kind: string; text: string }>> = {
  auth: {
    kind: "auth",
    text: "Claude is not logged in with this profile: run `claude` in a terminal of the workstation and log in, then send the message again",
  },
  limit: {
    kind: "limit",
    text: "The usage limit is reached: wait a while, or choose another model or profile, then send the message again",
  },
  billing: {
    kind: "billing",
    text: "The account cannot pay for this: look after its billing, or choose another profile",
  },
  overloaded: {
    kind: "server",
    text: "Anthropic's servers are overloaded: send the message again in a minute",
  },
  server: { kind: "server", text: "Anthropic's servers failed: send the message again" },
  connection: {
    kind: "connection",
    text: "The connection to Anthropic broke: look after the network, then send the message again",
  },
  long: {
    kind: "context",
    text: "The conversation is too long for the model: shorten it with /compact, or start over with /clear",
  },
  request: { kind: "request", text: "The model did not take the request" },
};

/** `status`: the HTTP status; `error`: the program's word for it; `text`: what it wrote. */
export function apiFailure(o: {
  status?: number | undefined;
  error?: string | undefined;
  text: string;
}): Failure {
  const { kind, text } = WORDS[causeOf(o)] ?? { kind: "api", text: "The turn failed" };
  const detail = oneLine(o.text.replace(/^API Error:?\s*/i, ""), DETAIL_CHARS);
  return { kind, message: detail === "" ? text : clip(`${text} (${detail})`, 1000) };
}

function causeOf({
  status,
  error,
  text,
}: {
  status?: number | undefined;
  error?: string | undefined;
  text: string;
}): string {
  if (/prompt is too long|context window|too many tokens/i.test(text)) return "long";
  if (/connection|ECONN|ENOTFOUND|EAI_AGAIN|timed? ?out|network/i.test(text) && status === undefined)
    return "connection";
  if (
    status === 401 ||
    status === 403 ||
    error === "authentication_failed" ||
    error === "oauth_org_not_allowed"
  )
    return "auth";
  if (error === "billing_error" || status === 402) return "billing";
  if (status === 429 || error === "rate_limit") return "limit";
  if (status === 529 || error === "overloaded") return "overloaded";
  if (error === "server_error" || (status !== undefined && status >= 500)) return "server";
  return status !== undefined && status >= 400 ? "request" : "other";
}
