/** This device: whom it is paired with, what it may, how it looks, its PIN, and its end. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { CAPABILITIES } from "../../protocol/capabilities.js";
import { MIN_PIN_CHARS } from "../limits.js";
import { useAction } from "../link/call.js";
import { device, forget, has, link, lock, serverName } from "../link/connection.js";
import { readStored, storeRecord, storeUnderPin } from "../link/stored-device.js";
import { S } from "../strings.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { toast } from "../ui/toast.js";
import { TopBar } from "../ui/top-bar.js";
import { setTheme, THEMES, theme } from "./theme.js";

export function SettingsPage() {
  const state = link.value;
  const ready = state.state === "ready" ? state.ready : undefined;
  return (
    <div class="page">
      <TopBar title={S.settings} />
      <div class="scroll settings">
        <section class="card">
          <h2>{S.thisDevice}</h2>
          <dl>
            <dt>{S.name}</dt>
            <dd>{ready?.device.name ?? device.value?.name}</dd>
            <dt>{S.pairedWith}</dt>
            <dd>{serverName.value}</dd>
            {ready !== undefined && (
              <>
                <dt>{S.version}</dt>
                <dd>nexusd {ready.server.version}</dd>
              </>
            )}
          </dl>
          <h3>{S.rights}</h3>
          <ul class="rights">
            {CAPABILITIES.map((right) => (
              <li key={right} class={has(right) ? "has" : ""}>
                <Icon name={has(right) ? "check" : "close"} size={16} />
                {S.rightNames[right]}
              </li>
            ))}
          </ul>
        </section>
        {has("owner") && (
          <Link href="/owner" class="card card-link">
            <Icon name="shield" />
            {S.owner}
            <Icon name="right" size={16} />
          </Link>
        )}
        <section class="card">
          <h2>{S.appearance}</h2>
          <div class="segments" role="group" aria-label={S.appearance}>
            {THEMES.map((name) => (
              <button
                key={name}
                type="button"
                aria-pressed={theme.value === name}
                onClick={() => setTheme(name)}
              >
                {S.themes[name]}
              </button>
            ))}
          </div>
        </section>
        <PinCard />
        <section class="card">
          <h2>{S.forgetTitle}</h2>
          <p>{S.forgetText}</p>
          <Button
            kind="danger"
            onClick={() => {
              if (confirm(S.forgetAsk)) forget();
            }}
          >
            {S.forgetTitle}
          </Button>
        </section>
      </div>
    </div>
  );
}

function PinCard() {
  const stored = readStored();
  const [sealed, setSealed] = useState(stored !== undefined && "sealed" in stored);
  const [pin, setPin] = useState("");
  const { busy, run } = useAction();
  const record = device.value;
  if (record === undefined) return null;
  return (
    <section class="card">
      <h2>{S.pinTitle}</h2>
      <p>{S.pinText}</p>
      {sealed ? (
        <div class="row">
          <Button onClick={lock}>{S.lockNow}</Button>
          <Button
            kind="danger"
            onClick={() => {
              storeRecord(record);
              setSealed(false);
            }}
          >
            {S.pinRemove}
          </Button>
        </div>
      ) : (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            if (pin.length < MIN_PIN_CHARS) return toast(S.pinShort, "error");
            run(async () => {
              await storeUnderPin(record, pin);
              setPin("");
              setSealed(true);
            });
          }}
        >
          <input
            type="password"
            aria-label={S.pin}
            placeholder={S.pin}
            autocomplete="new-password"
            value={pin}
            onInput={(event) => setPin(event.currentTarget.value)}
          />
          <Button submit disabled={busy}>
            {busy ? S.opening : S.pinSet}
          </Button>
        </form>
      )}
    </section>
  );
}
