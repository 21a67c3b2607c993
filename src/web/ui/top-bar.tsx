/** The bar over a page that was opened from the list. */
import type { ComponentChildren } from "preact";
import { useLocation } from "wouter-preact";
import { S } from "../strings.js";
import { IconButton } from "./button.js";

interface TopBarProps {
  title: string;
  subtitle?: ComponentChildren;
  backTo?: string;
  children?: ComponentChildren;
}

export function TopBar({ title, subtitle, backTo = "/", children }: TopBarProps) {
  const [, go] = useLocation();
  return (
    <header class="top-bar">
      <IconButton
        icon="back"
        label={S.back}
        onClick={() => go(backTo)}
        extra={backTo === "/" ? "back-to-list" : ""}
      />
      <div class="top-bar-title">
        <h1 title={title}>{title}</h1>
        {subtitle !== undefined && <div class="top-bar-sub">{subtitle}</div>}
      </div>
      <div class="top-bar-actions">{children}</div>
    </header>
  );
}
