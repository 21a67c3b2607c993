/** Asks for the PIN that opens the key. */
import { useState } from "preact/hooks";
import { forget, unlock } from "../link/connection.js";
import { S } from "../strings.js";
import { Button } from "../ui/button.js";

export function LockPage() {
  const [pin, setPin] = useState("");
  const [state, setState] = useState<"" | "busy" | "wrong">("");
  const open = async (): Promise<void> => {
    setState("busy");
    if (await unlock(pin)) return;
    setPin("");
    setState("wrong");
  };
  return (
    <main class="pair">
      <form
        class="pair-card stack"
        onSubmit={(event) => {
          event.preventDefault();
          void open();
        }}
      >
        <h1>{S.lockedTitle}</h1>
        <label class="field">
          <span>{S.pin}</span>
          <input
            type="password"
            autocomplete="off"
            value={pin}
            disabled={state === "busy"}
            onInput={(event) => setPin(event.currentTarget.value)}
          />
        </label>
        {state === "wrong" && (
          <p class="problem" role="alert">
            {S.wrongPin}
          </p>
        )}
        <Button kind="primary" submit wide disabled={state === "busy" || pin === ""}>
          {state === "busy" ? S.opening : S.unlock}
        </Button>
        <Button
          kind="quiet"
          wide
          onClick={() => {
            if (confirm(S.forgetAsk)) forget();
          }}
        >
          {S.forgetTitle}
        </Button>
      </form>
    </main>
  );
}
