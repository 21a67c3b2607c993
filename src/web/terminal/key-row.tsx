/** The keys that a phone's keyboard has not, over the input. */
import type { TerminalKey } from "../../protocol/rpc.js";
import { S } from "../strings.js";
import { Icon } from "../ui/icon.js";

const KEYS: readonly (readonly [TerminalKey, string])[] = [
  ["esc", "esc"],
  ["tab", "tab"],
  ["ctrl-c", "^C"],
  ["left", "←"],
  ["up", "↑"],
  ["down", "↓"],
  ["right", "→"],
  ["enter", "⏎"],
  ["shift-tab", "⇧tab"],
  ["backspace", "⌫"],
  ["ctrl-d", "^D"],
  ["ctrl-r", "^R"],
  ["ctrl-l", "^L"],
  ["ctrl-z", "^Z"],
  ["home", "home"],
  ["end", "end"],
  ["pageup", "pgup"],
  ["pagedown", "pgdn"],
  ["delete", "del"],
];

interface KeyRowProps {
  onKey: (key: TerminalKey) => void;
  ctrl: boolean;
  onCtrl: () => void;
  direct: boolean;
  onDirect: () => void;
}

export function KeyRow({ onKey, ctrl, onCtrl, direct, onDirect }: KeyRowProps) {
  // A press must not take the focus away: the phone's keyboard would go.
  const keepFocus = (event: Event): void => event.preventDefault();
  return (
    <div class="key-row" role="group" aria-label={S.keys}>
      <button
        type="button"
        class="key"
        aria-pressed={direct}
        aria-label={S.direct}
        title={S.direct}
        onPointerDown={keepFocus}
        onClick={onDirect}
      >
        <Icon name="keyboard" size={18} />
      </button>
      <button type="button" class="key" aria-pressed={ctrl} onPointerDown={keepFocus} onClick={onCtrl}>
        {S.ctrl}
      </button>
      {KEYS.map(([key, face]) => (
        <button
          key={key}
          type="button"
          class="key"
          aria-label={key}
          onPointerDown={keepFocus}
          onClick={() => onKey(key)}
        >
          {face}
        </button>
      ))}
    </div>
  );
}
