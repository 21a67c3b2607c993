/** The page's one client and what it tells: the state of the link, the rights, the list of sessions. */
import { computed, signal } from "@preact/signals";
import {
  type ClientState,
  connectDevice,
  type DeviceRecord,
  NexusClient,
  type SessionsState,
} from "../../client/index.js";
import type { Capability } from "../../protocol/capabilities.js";
import { IDLE_LOCK_MS } from "../limits.js";
import { forgetDevice, openWithPin, readStored, storeRecord } from "./stored-device.js";

export type Phase = "unpaired" | "locked" | "open" | "revoked";

export const phase = signal<Phase>("unpaired");
export const client = signal<NexusClient | undefined>(undefined);
export const device = signal<DeviceRecord | undefined>(undefined);
export const link = signal<ClientState>({ state: "connecting", reason: "" });
/** Since when there is no link, in Unix milliseconds. */
export const offlineSince = signal<number | undefined>(undefined);
export const rights = signal<readonly Capability[]>([]);
export const list = signal<SessionsState | undefined>(undefined);
export const listProblem = signal<string | undefined>(undefined);
export const serverName = computed(() =>
  link.value.state === "ready" ? (link.value.ready?.server.name ?? "") : (device.value?.serverName ?? ""),
);
/** Hashes that must not be taken for a route stay out of the address: the link holds a secret. */
export const pairLink = signal<string | undefined>(undefined);

export function has(right: Capability): boolean {
  return rights.value.includes(right);
}

/** Reads the pairing link off the address, or what was kept of an earlier pairing. */
export function begin(): void {
  if (location.hash.startsWith("#pair=")) {
    pairLink.value = location.href;
    history.replaceState(null, "", location.pathname);
  }
  const stored = readStored();
  if (stored === undefined) phase.value = "unpaired";
  else if ("record" in stored) connect(stored.record);
  else phase.value = "locked";
  watchAttention();
}

/** Takes a record that was just made. */
export function paired(record: DeviceRecord): void {
  storeRecord(record);
  pairLink.value = undefined;
  connect(record);
}

/** False for a wrong PIN. */
export async function unlock(pin: string): Promise<boolean> {
  const stored = readStored();
  if (stored === undefined || "record" in stored) return false;
  const record = await openWithPin(stored, pin);
  if (record === undefined) return false;
  connect(record);
  return true;
}

export function lock(): void {
  disconnect();
  device.value = undefined;
  phase.value = "locked";
}

/** Drops the key and all that was kept here. */
export function forget(): void {
  disconnect();
  forgetDevice();
  device.value = undefined;
  phase.value = "unpaired";
  history.replaceState(null, "", location.pathname);
}

function connect(record: DeviceRecord): void {
  disconnect();
  device.value = record;
  const next = new NexusClient({ connect: connectDevice(record, { WebSocket, client: "nexus page" }) });
  client.value = next;
  phase.value = "open";
  rights.value = [];
  next.onState((state) => {
    if (client.value !== next) return;
    if (state.state === "ready") offlineSince.value = undefined;
    else if (state.state === "offline") offlineSince.value ??= Date.now();
    else if (state.state === "closed" && state.reason === "revoked") revoked();
    link.value = state;
  });
  next.onCapabilities((capabilities) => {
    rights.value = capabilities;
  });
  next.watchSessions({
    onChange: (state) => {
      list.value = state;
      listProblem.value = undefined;
    },
    onError: (error, final) => {
      if (final) list.value = undefined;
      listProblem.value = error.message;
    },
  });
  next.start();
}

/** The server said so inside the sealed link: the key is of no more use. */
function revoked(): void {
  forgetDevice();
  list.value = undefined;
  phase.value = "revoked";
}

function disconnect(): void {
  const before = client.value;
  client.value = undefined;
  list.value = undefined;
  offlineSince.value = undefined;
  link.value = { state: "connecting", reason: "" };
  before?.close();
}

/** Back from the background the truth shows within a second; away for long, a page with a PIN locks. */
function watchAttention(): void {
  let hiddenAt = 0;
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") {
      hiddenAt = Date.now();
      return;
    }
    const stored = readStored();
    const sealed = stored !== undefined && "sealed" in stored;
    if (sealed && phase.value === "open" && Date.now() - hiddenAt > IDLE_LOCK_MS) lock();
    else client.value?.wake();
  });
  addEventListener("online", () => client.value?.wake());
  addEventListener("pageshow", () => client.value?.wake());
}

/** Another page of this origin paired anew or forgot the device: this one follows. */
addEventListener("storage", (event) => {
  if (event.key !== "nexus.device" || event.newValue !== null || phase.value !== "open") return;
  disconnect();
  phase.value = "unpaired";
});
