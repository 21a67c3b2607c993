/** Something that waits for a person: a permission, a plan, questions, another agent's wish. Every choice the protocol has. */
import { useState } from "preact/hooks";
import { printable } from "../../protocol/printable.js";
import type { RpcParams } from "../../protocol/rpc.js";
import type { PermissionRequest } from "../../protocol/view.js";
import { call, useAction } from "../link/call.js";
import { has } from "../link/connection.js";
import type { TabRef } from "../sessions/session-page.js";
import { S } from "../strings.js";
import { Markdown } from "../text/markdown.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { lengthOf, now } from "../ui/time.js";
import { Questions } from "./questions.js";

/** A consent that is longer must be opened whole before it can be allowed. */
const LONG_DETAIL_CHARS = 4096;
/** Of a shorter one this much is in sight at once. */
const SHORT_DETAIL_CHARS = 600;

export type Answer = Omit<RpcParams<"chat.answer">, "workspaceId" | "tabId" | "requestId" | "from">;

export interface RequestCardProps {
  request: PermissionRequest;
  tab: TabRef;
  agent: string;
}

export function RequestCard({ request, tab, agent }: RequestCardProps) {
  const { busy, run } = useAction();
  const answer = (words: Answer): void =>
    run(() => call("chat.answer", { ...tab, requestId: request.requestId, ...words }));
  const heading = { permission: request.toolName, question: S.question, plan: S.plan, consent: S.consent }[
    request.kind
  ];
  return (
    <section
      class={`card request ${request.kind}`}
      aria-label={`${heading}: ${request.title}`}
      data-request={request.kind}
    >
      <header class="request-head">
        <Icon
          name={request.kind === "question" ? "bulb" : request.kind === "plan" ? "list" : "shield"}
          size={18}
        />
        <h2>
          {heading}
          {request.kind === "permission" && <small> {S.asksPermission}</small>}
        </h2>
        {request.agent !== undefined && <span class="tag">{S.bySubagent(request.agent)}</span>}
        {request.expiresAt !== undefined && (
          <span class="request-expires">
            {S.expires(lengthOf(Math.max(0, request.expiresAt - now.value)))}
          </span>
        )}
      </header>
      {request.kind === "question" && request.questions !== undefined ? (
        <Questions request={request} agent={agent} busy={busy} onAnswer={answer} />
      ) : (
        <Decision request={request} tab={tab} busy={busy} onAnswer={answer} />
      )}
    </section>
  );
}

interface DecisionProps {
  request: PermissionRequest;
  tab: TabRef;
  busy: boolean;
  onAnswer: (answer: Answer) => void;
}

function Decision({ request, tab, busy, onAnswer }: DecisionProps) {
  const { kind, title, suggestions, toolUseId } = request;
  const opening = useAction();
  const [opened, setOpened] = useState<string>();
  const detail = opened ?? request.detail ?? "";
  const [whole, setWhole] = useState(detail.length <= SHORT_DETAIL_CHARS || kind === "plan");
  const [always, setAlways] = useState<number[]>([]);
  const [denying, setDenying] = useState(false);
  /** A long consent comes whole when it is asked for, and the daemon notes that this device read it. */
  const open = (): void =>
    opening.run(async () => {
      if (mustRead && toolUseId !== undefined) {
        const { result } = await call("chat.tool", { ...tab, toolUseId });
        setOpened(printable(result?.text ?? "", { lines: true }));
      }
      setWhole(true);
    });
  const mustRead = kind === "consent" && detail.length > LONG_DETAIL_CHARS && !whole;
  return (
    <>
      <p class="request-title" dir="auto">
        {title}
      </p>
      {kind === "plan" ? (
        <div class="request-plan">
          <Markdown text={detail} />
        </div>
      ) : (
        detail !== "" &&
        detail !== title && (
          <pre class="request-detail">{whole ? detail : `${detail.slice(0, SHORT_DETAIL_CHARS)} …`}</pre>
        )
      )}
      {!whole && (
        <Button kind="quiet" disabled={opening.busy} onClick={open}>
          {mustRead ? S.readFirst : S.wholeOutput}
        </Button>
      )}
      {kind === "permission" && Object.keys(request.input).length > 0 && (
        <details class="request-input">
          <summary>{S.showInput}</summary>
          <pre class="request-detail">{JSON.stringify(request.input, null, 2)}</pre>
        </details>
      )}
      {has("chat.control") && !denying && (
        <>
          {suggestions.length > 0 && (
            <fieldset class="request-always">
              <legend>{S.alsoAlways}</legend>
              {suggestions.map(({ label }, index) => (
                <label key={index} class="tick">
                  <input
                    type="checkbox"
                    checked={always.includes(index)}
                    onChange={(event) =>
                      setAlways(
                        event.currentTarget.checked
                          ? [...always, index]
                          : always.filter((one) => one !== index),
                      )
                    }
                  />
                  {label}
                </label>
              ))}
            </fieldset>
          )}
          <div class="request-buttons">
            <Button
              kind="primary"
              disabled={busy || mustRead}
              onClick={() => onAnswer({ decision: "allow", ...(always.length > 0 && { always }) })}
            >
              {kind === "plan" ? S.approvePlan : always.length > 0 ? S.allowAlways : S.allow}
            </Button>
            <Button disabled={busy} onClick={() => setDenying(true)}>
              {kind === "plan" ? S.keepPlanning : S.deny}
            </Button>
          </div>
        </>
      )}
      {denying && <Denial busy={busy} onAnswer={onAnswer} onBack={() => setDenying(false)} />}
    </>
  );
}

interface DenialProps {
  busy: boolean;
  onAnswer: (answer: Answer) => void;
  onBack: () => void;
}

/** A no, with the reason if one wants to give it, and with the turn's end. */
export function Denial({ busy, onAnswer, onBack }: DenialProps) {
  const [why, setWhy] = useState("");
  const message = why.trim() === "" ? {} : { message: why.trim() };
  return (
    <div class="stack denial">
      <textarea
        rows={2}
        value={why}
        aria-label={S.denyWhy}
        placeholder={S.denyWhy}
        onInput={(event) => setWhy(event.currentTarget.value)}
      />
      <div class="request-buttons">
        <Button kind="danger" disabled={busy} onClick={() => onAnswer({ decision: "deny", ...message })}>
          {S.deny}
        </Button>
        <Button
          kind="danger"
          disabled={busy}
          onClick={() => onAnswer({ decision: "deny", stop: true, ...message })}
        >
          {S.denyStop}
        </Button>
        <Button kind="quiet" onClick={onBack}>
          {S.back}
        </Button>
      </div>
    </div>
  );
}
