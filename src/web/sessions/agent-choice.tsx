/** Which of the two agents. */
import { S } from "../strings.js";
import { Icon } from "../ui/icon.js";

export type Agent = "claude" | "codex";

export function AgentChoice({ agent, onAgent }: { agent: Agent; onAgent: (agent: Agent) => void }) {
  return (
    <div class="choices" role="group" aria-label={S.agent}>
      {(["claude", "codex"] as const).map((name) => (
        <button
          key={name}
          type="button"
          class="choice"
          aria-pressed={agent === name}
          onClick={() => onAgent(name)}
        >
          <Icon name={name} /> {S.kinds[name]}
        </button>
      ))}
    </div>
  );
}
