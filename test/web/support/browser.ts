/** Debian's Chromium with a host name that is no secure context. */
import { type Browser, chromium } from "playwright-core";

/** Leads to loopback inside the browser only. */
export const INSECURE_HOST = "nexus.test";

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`,
    ],
  });
}
