/** One paired device: when it was here, what it may, and the end of it. */
import { useState } from "preact/hooks";
import { CAPABILITIES } from "../../protocol/capabilities.js";
import type { OwnedDevice } from "../../protocol/owner.js";
import { useAction } from "../link/call.js";
import { device as own } from "../link/connection.js";
import { S } from "../strings.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { ageOf } from "../ui/time.js";
import { toast } from "../ui/toast.js";
import { askOwner } from "./owner-page.js";

export function DeviceCard({ device, onChange }: { device: OwnedDevice; onChange: () => void }) {
  const [picked, setPicked] = useState(device.capabilities);
  const { busy, run } = useAction();
  const isThis = own.value?.deviceId === device.id;
  const changed =
    picked.length !== device.capabilities.length || picked.some((r) => !device.capabilities.includes(r));
  const revoke = async (): Promise<void> => {
    if (!confirm(S.revokeAsk(device.name))) return;
    const { left } = await askOwner("owner.revoke", { deviceId: device.id });
    if (left.length > 0) toast(`${S.leftBehind} ${left.map((one) => one.title).join(", ")}`);
    onChange();
  };
  return (
    <details class="card device">
      <summary>
        <Icon name={device.kind === "phone" ? "phone" : device.kind === "cli" ? "terminal" : "laptop"} />
        <span class="device-words">
          <strong>{device.name}</strong>
          <small>
            {[
              isThis ? S.isThis : "",
              device.links > 0
                ? S.online
                : device.lastSeenAt === undefined
                  ? S.never
                  : S.seen(ageOf(device.lastSeenAt)),
              device.overHttp === true ? S.overHttp : "",
            ]
              .filter((part) => part !== "")
              .join(" · ")}
          </small>
        </span>
        {device.links > 0 && <span class="state-dot new-result" />}
      </summary>
      <fieldset>
        <legend>{S.grants}</legend>
        {CAPABILITIES.map((right) => (
          <label key={right} class="tick">
            <input
              type="checkbox"
              checked={picked.includes(right)}
              onChange={(event) =>
                setPicked(
                  CAPABILITIES.filter((one) =>
                    one === right ? event.currentTarget.checked : picked.includes(one),
                  ),
                )
              }
            />
            {S.rightNames[right]}
          </label>
        ))}
      </fieldset>
      <div class="row">
        <Button
          kind="primary"
          disabled={busy || !changed}
          onClick={() =>
            run(async () => {
              await askOwner("owner.grant", { deviceId: device.id, capabilities: picked });
              onChange();
            })
          }
        >
          {S.save}
        </Button>
        <Button kind="danger" disabled={busy} onClick={() => run(revoke)}>
          {S.revoke}
        </Button>
      </div>
    </details>
  );
}
