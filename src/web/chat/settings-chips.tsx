/** What the chat runs with, in three chips; a touch on one changes it. */
import { useState } from "preact/hooks";
import type { RpcParams, RpcResult } from "../../protocol/rpc.js";
import type { ChatStatus } from "../../protocol/view.js";
import { call, useAction, useRead } from "../link/call.js";
import type { TabRef } from "../sessions/session-page.js";
import { S } from "../strings.js";
import { Icon } from "../ui/icon.js";
import { Sheet } from "../ui/sheet.js";

type Settings = RpcResult<"chat.settings">;
type Change = Partial<Pick<RpcParams<"chat.configure">, "model" | "effort" | "permissionMode">>;

export function SettingsChips({ tab, status }: { tab: TabRef; status: ChatStatus | undefined }) {
  const [open, setOpen] = useState(false);
  if (status === undefined) return null;
  const chips = [status.permissionMode, status.model, status.effort].filter(
    (one) => one !== null && one !== "",
  );
  return (
    <>
      <button type="button" class="chips" onClick={() => setOpen(true)}>
        <span class="hidden-words">{S.chatSettings}: </span>
        {chips.map((chip) => (
          <span key={chip} class="chip">
            {chip}
          </span>
        ))}
        <Icon name="down" size={14} />
      </button>
      {open && <SettingsSheet tab={tab} onClose={() => setOpen(false)} />}
    </>
  );
}

export function SettingsSheet({ tab, onClose }: { tab: TabRef; onClose: () => void }) {
  const { data, error } = useRead("chat.settings", tab);
  const [changed, setChanged] = useState<Settings | undefined>(undefined);
  const { busy, run } = useAction();
  const settings = changed ?? data;
  const set = (change: Change): void =>
    run(async () => setChanged(await call("chat.configure", { ...tab, ...change })));
  return (
    <Sheet title={S.chatSettings} onClose={onClose}>
      {error !== undefined && <p class="problem">{error}</p>}
      {settings === undefined && error === undefined && <p class="empty">{S.loading}</p>}
      {settings !== undefined && (
        <div class="stack">
          {settings.profile !== undefined && (
            <p class="fine">
              {[settings.profile.name, settings.profile.account, settings.profile.problem]
                .filter((one) => one !== undefined)
                .join(" · ")}
            </p>
          )}
          <Choices
            title={S.mode}
            options={settings.options.modes.map(({ id, label, dangerous }) => ({
              id,
              label: dangerous === true ? `${label} (${S.dangerous})` : label,
            }))}
            value={settings.permissionMode}
            busy={busy}
            onPick={(permissionMode) => set({ permissionMode })}
          />
          <Choices
            title={S.model}
            options={settings.options.models}
            value={settings.model}
            busy={busy}
            onPick={(model) => set({ model })}
          />
          <Choices
            title={S.effort}
            options={settings.options.efforts.map((id) => ({ id, label: id }))}
            value={settings.effort}
            busy={busy}
            onPick={(effort) => set({ effort })}
          />
        </div>
      )}
    </Sheet>
  );
}

interface ChoicesProps {
  title: string;
  options: readonly { id: string; label: string }[];
  value: string | null;
  busy: boolean;
  onPick: (id: string) => void;
}

function Choices({ title, options, value, busy, onPick }: ChoicesProps) {
  if (options.length === 0) return null;
  return (
    <section role="group" aria-label={title}>
      <h3 class="group-head">{title}</h3>
      <ul class="menu">
        {options.map(({ id, label }) => (
          <li key={id}>
            <button
              type="button"
              class="menu-row"
              disabled={busy}
              aria-pressed={value === id}
              onClick={() => onPick(id)}
            >
              {label}
              {value === id && <Icon name="check" size={16} />}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
