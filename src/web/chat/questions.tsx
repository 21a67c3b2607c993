/** The questions of an agent: one or several answers each, or other words. */
import { useState } from "preact/hooks";
import type { PermissionRequest } from "../../protocol/view.js";
import { has } from "../link/connection.js";
import { S } from "../strings.js";
import { Button } from "../ui/button.js";
import { type Answer, Denial } from "./request-card.js";

interface QuestionsProps {
  request: PermissionRequest;
  agent: string;
  busy: boolean;
  onAnswer: (answer: Answer) => void;
}

interface Picked {
  readonly labels: readonly string[];
  readonly other: string;
}

export function Questions({ request, agent, busy, onAnswer }: QuestionsProps) {
  const questions = request.questions ?? [];
  const [picked, setPicked] = useState<Record<string, Picked>>({});
  const [denying, setDenying] = useState(false);
  const of = (id: string): Picked => picked[id] ?? { labels: [], other: "" };
  const ready = questions.every(({ id }) => of(id).labels.length > 0 || of(id).other.trim() !== "");
  const pick = (id: string, label: string, multi: boolean): void => {
    const { labels, other } = of(id);
    const next = !multi
      ? [label]
      : labels.includes(label)
        ? labels.filter((one) => one !== label)
        : [...labels, label];
    setPicked({ ...picked, [id]: { labels: next, other: multi ? other : "" } });
  };
  return (
    <>
      {questions.map(({ id, text, options, multi, allowOther }) => (
        <fieldset key={id} class="question-block">
          <legend>{text}</legend>
          {options.map(({ label, description }) => (
            <label key={label} class={`option${of(id).labels.includes(label) ? " picked" : ""}`}>
              <input
                type={multi ? "checkbox" : "radio"}
                name={`${request.requestId}-${id}`}
                checked={of(id).labels.includes(label)}
                onChange={() => pick(id, label, multi)}
              />
              <span>
                {label}
                {description !== undefined && <small>{description}</small>}
              </span>
            </label>
          ))}
          {allowOther && (
            <input
              type="text"
              aria-label={S.other}
              placeholder={S.other}
              value={of(id).other}
              onInput={(event) =>
                setPicked({
                  ...picked,
                  [id]: { labels: multi ? of(id).labels : [], other: event.currentTarget.value },
                })
              }
            />
          )}
        </fieldset>
      ))}
      {has("chat.control") &&
        (denying ? (
          <Denial busy={busy} onAnswer={onAnswer} onBack={() => setDenying(false)} />
        ) : (
          <div class="request-buttons">
            <Button
              kind="primary"
              disabled={busy || !ready}
              onClick={() => onAnswer({ decision: "allow", updatedInput: answered(request, agent, of) })}
            >
              {S.answer}
            </Button>
            <Button disabled={busy} onClick={() => setDenying(true)}>
              {S.deny}
            </Button>
          </div>
        ))}
    </>
  );
}

/** The input with the answers in it, in the shape that each agent reads. */
function answered(
  request: PermissionRequest,
  agent: string,
  of: (id: string) => Picked,
): Record<string, unknown> {
  const questions = request.questions ?? [];
  const words = (id: string): string[] => [
    ...of(id).labels,
    ...(of(id).other.trim() === "" ? [] : [of(id).other.trim()]),
  ];
  if (agent === "codex") {
    return {
      ...request.input,
      answers: Object.fromEntries(questions.map(({ id }) => [id, { answers: words(id) }])),
    };
  }
  return {
    ...request.input,
    answers: Object.fromEntries(questions.map(({ id, text }) => [text, words(id).join(", ")])),
  };
}
