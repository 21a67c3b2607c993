/**
 * The requests that a chat's agent waits on: each is shown once, takes one
 * answer, and is remembered for a while as gone, so that a late answer hears
 * what became of it.
 */
import { invalidParams, notFound, type RpcFailure, unavailable } from "../protocol/errors.js";
import type { PermissionRequest } from "../protocol/view.js";
import type { AgentRequest, RequestAnswer } from "./driver.js";
import {
  MAX_OPEN_REQUESTS,
  MAX_SETTLED_REQUESTS,
  REQUEST_DETAIL_CHARS,
  REQUEST_INPUT_BYTES,
  REQUEST_STRING_CHARS,
  TITLE_CHARS,
} from "./limits.js";
import { clip, clipRecord, oneLine, wellFormed } from "./text.js";

/** chat.answer's params beside the tab. */
export interface AnswerParams {
  readonly requestId: string;
  readonly decision: "allow" | "deny";
  readonly message?: string | undefined;
  readonly updatedInput?: Record<string, unknown> | undefined;
  readonly stop?: boolean | undefined;
  readonly always?: number[] | undefined;
}

interface Open {
  /** As the agent asked: its input whole. */
  readonly request: AgentRequest;
  readonly shown: PermissionRequest;
  /** Who answers it right now. */
  answering?: string;
}

export class Requests {
  readonly #open = new Map<string, Open>();
  readonly #settled = new Map<string, string>();

  /** Requests that were open when the daemon ended: a late answer is told so. */
  constructor(lost: readonly string[] = []) {
    for (const id of lost) this.#remember(id, "the daemon was restarted since");
  }

  get size(): number {
    return this.#open.size;
  }

  shown(): PermissionRequest[] {
    return [...this.#open.values()].map((open) => open.shown);
  }

  ids(): string[] {
    return [...this.#open.keys()];
  }

  toolOf(requestId: string): string | undefined {
    return this.#open.get(requestId)?.request.toolUseId;
  }

  /** False when it is open already, or too many are. */
  add(request: AgentRequest, at: number): boolean {
    if (this.#open.has(request.requestId) || this.#open.size >= MAX_OPEN_REQUESTS) return false;
    this.#open.set(request.requestId, { request, shown: shownOf(request, at) });
    return true;
  }

  /** True when it was open. */
  settle(requestId: string, how: string): boolean {
    if (!this.#open.delete(requestId)) return false;
    this.#remember(requestId, how);
    return true;
  }

  settleAll(how: string): string[] {
    const ids = this.ids();
    for (const id of ids) this.settle(id, how);
    return ids;
  }

  /**
   * Checks an answer and takes the request for it: a second answer is refused
   * from here on. NotFound for an id that never was, Unavailable for one that is gone.
   */
  take(params: AnswerParams, who: string): { request: AgentRequest; answer: RequestAnswer } {
    const open = this.#open.get(params.requestId);
    if (open === undefined) throw this.#gone(params.requestId);
    if (open.answering !== undefined) {
      throw unavailable(`The request is no longer pending: ${open.answering} answered it first`);
    }
    const answer = answerOf(params, open);
    open.answering = who;
    return { request: open.request, answer };
  }

  /** The agent did not take the answer: the request waits again. */
  release(requestId: string): void {
    const open = this.#open.get(requestId);
    if (open !== undefined) delete open.answering;
  }

  #gone(requestId: string): RpcFailure {
    const how = this.#settled.get(requestId);
    if (how === undefined) return notFound("request");
    return unavailable(`The request is no longer pending: ${how}`);
  }

  #remember(id: string, how: string): void {
    this.#settled.set(id, how);
    for (const oldest of this.#settled.keys()) {
      if (this.#settled.size <= MAX_SETTLED_REQUESTS) break;
      this.#settled.delete(oldest);
    }
  }
}

function shownOf(request: AgentRequest, at: number): PermissionRequest {
  const { detail, title, input, suggestions, questions, ...rest } = request;
  return {
    ...rest,
    at,
    title: oneLine(wellFormed(title), TITLE_CHARS) || request.toolName || "The agent asks",
    input: clipRecord(input, REQUEST_STRING_CHARS, REQUEST_INPUT_BYTES),
    suggestions: suggestions.map(({ label }) => ({ label: oneLine(label, TITLE_CHARS) })),
    ...(detail === undefined ? {} : { detail: clip(wellFormed(detail), REQUEST_DETAIL_CHARS) }),
    ...(questions === undefined ? {} : { questions }),
  };
}

/** The answer in the agent's terms; what does not belong together is refused. */
function answerOf(params: AnswerParams, open: Open): RequestAnswer {
  const { decision, message, updatedInput, stop, always } = params;
  if (decision === "deny") {
    if (always !== undefined && always.length > 0) throw invalidParams("`always` goes with allow only");
    if (updatedInput !== undefined) throw invalidParams("`updatedInput` goes with allow only");
    return { decision, stop: stop === true, ...(message === undefined ? {} : { message }) };
  }
  if (stop === true) throw invalidParams("`stop` goes with deny only");
  const wrong = always?.find((index) => index >= open.request.suggestions.length);
  if (wrong !== undefined) throw invalidParams(`The request has no suggestion ${wrong}`);
  return {
    decision,
    always: [...new Set(always ?? [])],
    ...(updatedInput === undefined ? {} : { updatedInput: whole(updatedInput, open) }),
  };
}

/** What the card showed clipped and came back unchanged goes to the agent whole. */
function whole(updated: Record<string, unknown>, { request, shown }: Open): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(updated).map(([key, value]) => {
      const unchanged =
        Object.hasOwn(shown.input, key) && JSON.stringify(shown.input[key]) === JSON.stringify(value);
      return [key, unchanged ? request.input[key] : value];
    }),
  );
}
