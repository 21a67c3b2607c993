/** Light, dark, or like the system: kept on this device. */
import { signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
const KEY = "nexus.theme";

export const theme = signal<Theme>(kept());

function kept(): Theme {
  const text = localStorage.getItem(KEY);
  return THEMES.find((name) => name === text) ?? "system";
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.value;
}

export function setTheme(next: Theme): void {
  theme.value = next;
  localStorage.setItem(KEY, next);
  applyTheme();
}
