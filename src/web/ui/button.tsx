/** Buttons: one with words, one with an icon and a label for those who do not see it. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.js";

interface ButtonProps {
  onClick?: () => void;
  children: ComponentChildren;
  kind?: "primary" | "plain" | "danger" | "quiet";
  disabled?: boolean;
  submit?: boolean;
  pressed?: boolean;
  wide?: boolean;
}

export function Button({
  onClick,
  children,
  kind = "plain",
  disabled = false,
  submit,
  pressed,
  wide,
}: ButtonProps) {
  return (
    <button
      type={submit === true ? "submit" : "button"}
      class={`button ${kind}${wide === true ? " wide" : ""}`}
      disabled={disabled}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
      {...(onClick === undefined ? {} : { onClick })}
    >
      {children}
    </button>
  );
}

interface IconButtonProps {
  icon: IconName;
  label: string;
  onClick: () => void;
  disabled?: boolean;
  pressed?: boolean;
  extra?: string;
}

export function IconButton({ icon, label, onClick, disabled = false, pressed, extra = "" }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button ${extra}`}
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
    >
      <Icon name={icon} />
    </button>
  );
}
