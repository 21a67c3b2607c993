/** The one stop: while it is on, no agent of any device gets through to another. */
import { useCallback, useEffect, useState } from "preact/hooks";
import type { OwnedAgents } from "../../protocol/owner.js";
import { messageOf } from "../link/call.js";
import { S } from "../strings.js";
import { Button } from "../ui/button.js";
import { clockOf } from "../ui/time.js";
import { askOwner } from "./owner-page.js";

export function AgentsSwitch() {
  const [agents, setAgents] = useState<OwnedAgents | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const ask = useCallback((method: "owner.agents" | "owner.agents.stop" | "owner.agents.resume") => {
    setProblem("");
    askOwner(method, {}).then(setAgents, (error: unknown) => setProblem(messageOf(error)));
  }, []);
  useEffect(() => ask("owner.agents"), [ask]);
  if (agents === undefined) return <p class={problem === "" ? "empty" : "problem"}>{problem || S.loading}</p>;
  const { stopped } = agents;
  return (
    <div class="card">
      <p>{stopped === undefined ? S.agentsGo : S.agentsStopped(clockOf(stopped.at))}</p>
      {problem !== "" && <p class="problem">{problem}</p>}
      {stopped === undefined ? (
        <Button kind="danger" wide onClick={() => ask("owner.agents.stop")}>
          {S.stopAgents}
        </Button>
      ) : (
        <Button kind="primary" wide onClick={() => ask("owner.agents.resume")}>
          {S.resumeAgents}
        </Button>
      )}
    </div>
  );
}
