/** The owner's corner, for a device that holds that right: the devices, what they may, and the record of it all. */
import { useCallback, useEffect, useState } from "preact/hooks";
import type { OwnedDevice, OwnerMethod, OwnerParams, OwnerResult } from "../../protocol/owner.js";
import { messageOf } from "../link/call.js";
import { client, has } from "../link/connection.js";
import { S } from "../strings.js";
import { TopBar } from "../ui/top-bar.js";
import { AgentsSwitch } from "./agents-switch.js";
import { AuditTail } from "./audit-tail.js";
import { DeviceCard } from "./device-card.js";

export function askOwner<M extends OwnerMethod>(method: M, params: OwnerParams<M>): Promise<OwnerResult<M>> {
  const now = client.value;
  return now === undefined ? Promise.reject(new Error(S.notConnected)) : now.request(method, params);
}

export function OwnerPage() {
  const [devices, setDevices] = useState<OwnedDevice[] | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const mayOwn = has("owner");
  const read = useCallback(() => {
    askOwner("owner.devices", {}).then(
      (answer) => setDevices(answer.devices),
      (error: unknown) => setProblem(messageOf(error)),
    );
  }, []);
  useEffect(() => {
    if (mayOwn) read();
  }, [mayOwn, read]);
  return (
    <div class="page">
      <TopBar title={S.owner} backTo="/settings" />
      <div class="scroll settings">
        <h2 class="group-head">{S.devices}</h2>
        {problem !== "" && <p class="problem">{problem}</p>}
        {devices === undefined && problem === "" && <p class="empty">{S.loading}</p>}
        {devices?.map((one) => (
          <DeviceCard key={one.id} device={one} onChange={read} />
        ))}
        <h2 class="group-head">{S.agents}</h2>
        {mayOwn && <AgentsSwitch />}
        <h2 class="group-head">{S.audit}</h2>
        {mayOwn && <AuditTail />}
      </div>
    </div>
  );
}
