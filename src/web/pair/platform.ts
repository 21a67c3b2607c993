/** What kind of device this page runs on, as far as its browser tells. */
import type { DeviceKind } from "../../protocol/link.js";

export function isIos(): boolean {
  const touchMac = navigator.userAgent.includes("Macintosh") && navigator.maxTouchPoints > 1;
  return /iPhone|iPad|iPod/.test(navigator.userAgent) || touchMac;
}

/** Opened from the Home Screen. */
export function isInstalled(): boolean {
  return (
    matchMedia("(display-mode: standalone)").matches ||
    (navigator as { standalone?: boolean }).standalone === true
  );
}

export function deviceKind(): DeviceKind {
  return isIos() || /Android|Mobile/.test(navigator.userAgent) ? "phone" : "laptop";
}

/** A name to begin with; the person may change it. */
export function deviceName(): string {
  const agent = navigator.userAgent;
  if (/iPhone/.test(agent)) return "iPhone";
  if (isIos()) return "iPad";
  if (/Android/.test(agent)) return /Mobile/.test(agent) ? "Android phone" : "Android tablet";
  if (/Macintosh/.test(agent)) return "Mac browser";
  if (/Windows/.test(agent)) return "Windows browser";
  return "Laptop browser";
}
