/** Times and amounts in few characters. */
import { signal } from "@preact/signals";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The clock that ages are read against; it moves often enough for minutes. */
export const now = signal(Date.now());
setInterval(() => {
  if (document.visibilityState === "visible") now.value = Date.now();
}, 10_000);
document.addEventListener("visibilitychange", () => {
  now.value = Date.now();
});

/** "now", "4m", "3h", "2d", then a date. */
export function ageOf(at: number): string {
  const age = Math.max(0, Math.max(now.value, Date.now()) - at);
  if (age < MINUTE_MS) return "now";
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)}m`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)}h`;
  if (age < 7 * DAY_MS) return `${Math.floor(age / DAY_MS)}d`;
  return new Date(at).toLocaleDateString(undefined, { month: "short", day: "numeric" });
}

export function clockOf(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}

/** "4s", "2m 10s", "1h 4m". */
export function lengthOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

export function bytesOf(count: number): string {
  if (count < 1024) return `${count} B`;
  if (count < 1024 * 1024) return `${(count / 1024).toFixed(count < 10_240 ? 1 : 0)} KB`;
  return `${(count / 1024 / 1024).toFixed(1)} MB`;
}

export function countOf(count: number): string {
  return count < 1000
    ? String(count)
    : count < 1_000_000
      ? `${(count / 1000).toFixed(1)}k`
      : `${(count / 1e6).toFixed(1)}M`;
}
