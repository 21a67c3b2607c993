/** A new chat: which agent, which profile, and its first message. */
import { useState } from "preact/hooks";
import { call, useAction, useRead } from "../link/call.js";
import { S } from "../strings.js";
import { Button } from "../ui/button.js";
import { toast } from "../ui/toast.js";
import { type Agent, AgentChoice } from "./agent-choice.js";
import type { NewFormProps } from "./new-sheet.js";

export function NewChatForm({ workspaceId, onOpened }: NewFormProps) {
  const [agent, setAgent] = useState<Agent>("claude");
  const [prompt, setPrompt] = useState("");
  const [profile, setProfile] = useState("");
  const profiles = useRead("profiles.list", { agent }).data?.profiles ?? [];
  const { busy, run } = useAction();
  const start = async (): Promise<void> => {
    const { tabId, error } = await call("chat.new", {
      workspaceId,
      agent,
      ...(prompt.trim() === "" ? {} : { prompt }),
      ...(profile === "" ? {} : { profile }),
    });
    if (error !== undefined) toast(error, "error");
    onOpened(tabId);
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        run(start);
      }}
    >
      <AgentChoice
        agent={agent}
        onAgent={(next) => {
          setAgent(next);
          setProfile("");
        }}
      />
      {profiles.length > 1 && (
        <label class="field">
          <span>{S.profile}</span>
          <select value={profile} onChange={(event) => setProfile(event.currentTarget.value)}>
            <option value="">{S.profileDefault}</option>
            {profiles.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="field">
        <span>
          {S.firstMessage} <small>{S.optional}</small>
        </span>
        <textarea
          rows={4}
          value={prompt}
          placeholder={S.firstMessageHint}
          onInput={(event) => setPrompt(event.currentTarget.value)}
        />
      </label>
      <Button kind="primary" submit wide disabled={busy || workspaceId === ""}>
        {S.start}
      </Button>
    </form>
  );
}
