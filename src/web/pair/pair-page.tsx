/** The first minute: a link from the address, the clipboard or a photo, then six digits, then the sessions. */
import { useEffect, useRef, useState } from "preact/hooks";
import { type Pairing, PairingError, pairDevice } from "../../client/index.js";
import { CAPABILITIES } from "../../protocol/capabilities.js";
import { parsePairLink } from "../../protocol/seal/pairing.js";
import { APPROVAL_MS } from "../limits.js";
import { paired, pairLink } from "../link/connection.js";
import { S } from "../strings.js";
import { Button } from "../ui/button.js";
import { lengthOf } from "../ui/time.js";
import { toast } from "../ui/toast.js";
import { InstallFirst } from "./install-first.js";
import { LinkForm } from "./link-form.js";
import { deviceKind, deviceName, isInstalled, isIos } from "./platform.js";

type Step =
  | { at: "link" }
  | { at: "name"; link: string }
  | { at: "reaching"; link: string }
  | { at: "code"; pairing: Pairing; until: number }
  | { at: "failed"; kind: string; link: string };

function firstStep(): Step {
  return pairLink.value === undefined ? { at: "link" } : { at: "name", link: pairLink.value };
}

export function PairPage() {
  const [step, setStep] = useState<Step>(firstStep);
  const [installLater, setInstallLater] = useState(!isIos() || isInstalled());
  const open = useRef<Pairing | undefined>(undefined);
  useEffect(() => () => open.current?.cancel(), []);
  const take = (link: string): void => {
    setStep(
      parsePairLink(link) === undefined ? { at: "failed", kind: "bad-link", link: "" } : { at: "name", link },
    );
  };
  const go = async (link: string, name: string): Promise<void> => {
    setStep({ at: "reaching", link });
    try {
      const wants = CAPABILITIES.filter((right) => right !== "owner" && right !== "agents");
      const pairing = await pairDevice({ link, name, kind: deviceKind(), wants, WebSocket });
      open.current = pairing;
      setStep({ at: "code", pairing, until: Date.now() + APPROVAL_MS });
      const record = await pairing.approved;
      open.current = undefined;
      toast(S.pairDone);
      paired(record);
    } catch (error) {
      setStep({ at: "failed", kind: error instanceof PairingError ? error.kind : "unreachable", link });
    }
  };
  return (
    <main class="pair">
      <div class="pair-card">
        <div class="brand" aria-hidden="true">
          <img src="/icon.svg" alt="" width="56" height="56" />
        </div>
        {step.at === "link" && <LinkForm onLink={take} />}
        {step.at === "name" && !installLater && (
          <InstallFirst link={step.link} onAnyway={() => setInstallLater(true)} />
        )}
        {step.at === "name" && installLater && (
          <NameForm link={step.link} onGo={(name) => void go(step.link, name)} />
        )}
        {step.at === "reaching" && (
          <p class="pair-busy" role="status">
            <span class="spinner" /> {S.pairReaching}
          </p>
        )}
        {step.at === "code" && <Code code={step.pairing.code} until={step.until} />}
        {step.at === "failed" && <Failed kind={step.kind} link={step.link} onStep={setStep} />}
      </div>
    </main>
  );
}

function NameForm({ link, onGo }: { link: string; onGo: (name: string) => void }) {
  const [name, setName] = useState(deviceName);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") onGo(name.trim());
      }}
    >
      <h1>{S.pairTitle}</h1>
      <p class="lead">{S.pairWith(hostOf(link))}</p>
      <label class="field">
        <span>{S.pairName}</span>
        <input
          value={name}
          maxLength={64}
          required
          autocomplete="off"
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <small>{S.pairNameHint}</small>
      </label>
      <Button kind="primary" submit wide>
        {S.pairGo}
      </Button>
      {location.protocol === "http:" && <p class="fine">{S.pairOverHttp}</p>}
    </form>
  );
}

function Code({ code, until }: { code: string; until: number }) {
  const [left, setLeft] = useState(until - Date.now());
  useEffect(() => {
    const timer = setInterval(() => setLeft(Math.max(0, until - Date.now())), 1000);
    return () => clearInterval(timer);
  }, [until]);
  return (
    <section class="stack" aria-live="polite">
      <h1>{S.pairCode}</h1>
      <p class="code" data-testid="code" role="img" aria-label={[...code].join(" ")}>
        <span>{code.slice(0, 3)}</span>
        <span>{code.slice(3)}</span>
      </p>
      <p class="lead">{S.pairCodeWhy}</p>
      <p class="fine" aria-hidden="true">
        {S.pairWaits(lengthOf(left))}
      </p>
    </section>
  );
}

function Failed({ kind, link, onStep }: { kind: string; link: string; onStep: (step: Step) => void }) {
  const [title, text] = S.pairFails[kind] ?? ["", ""];
  return (
    <section class="stack" role="alert" data-kind={kind}>
      <h1>{title}</h1>
      <p class="lead">{text}</p>
      {kind === "unreachable" && link !== "" && (
        <Button kind="primary" wide onClick={() => onStep({ at: "name", link })}>
          {S.retry}
        </Button>
      )}
      <Button wide onClick={() => onStep({ at: "link" })}>
        {S.pairAgain}
      </Button>
    </section>
  );
}

function hostOf(link: string): string {
  const url = parsePairLink(link)?.url;
  return url === undefined ? "" : new URL(url).host;
}
