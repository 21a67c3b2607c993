/** One offer to pair: its secret, who claimed it, and how it ended. Offers keeps at most one alive. */
import type { Capability } from "../protocol/capabilities.js";
import type { DeviceKind } from "../protocol/link.js";
import type { PairingState } from "../protocol/owner.js";
import type { Device } from "./devices.js";

/** A device that proved the offer's secret, as it names itself. */
export interface Asking {
  /** Its public key, proved by the handshake. */
  readonly key: Uint8Array;
  readonly name: string;
  readonly kind: DeviceKind;
  /** What it would like; never ticked for it. */
  readonly wants: readonly string[];
  /** Its page came over plain http. */
  readonly overHttp: boolean;
  /** The six digits that both sides derive from the handshake; the owner reads them from its screen. */
  readonly code: string;
}

export type Decision =
  | { readonly approved: true; readonly device: Device }
  | { readonly approved: false; readonly reason: string };

/** A claimed offer in the hand of the connection that claimed it. */
export interface Claim {
  readonly offerId: string;
  /** Settles once: the device is written down, or why it is not. */
  readonly decision: Promise<Decision>;
  /** The connection ended: nobody can be approved any more. */
  withdraw(): void;
}

/** What the owner sees of the device that waits for the code. */
export interface Waiting {
  readonly offerId: string;
  /** One printable line. */
  readonly name: string;
  readonly kind: DeviceKind;
  readonly wants: readonly Capability[];
  readonly overHttp: boolean;
  /** For comparing what the owner typed; never to be printed. */
  readonly code: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export interface Offer {
  readonly id: string;
  readonly secret: Uint8Array;
  /** What the first device gets without a typed code. */
  readonly yes: readonly Capability[] | undefined;
  /** "admitting": approved, and being written down. */
  phase: "waiting" | "approve" | "admitting" | "paired" | "over";
  failures: number;
  wrongCodes: number;
  /** On the monotonic clock. */
  endsAt: number;
  /** What to say when it does. */
  endsWhy: string;
  asking: { readonly given: Asking; readonly shown: Waiting } | undefined;
  paired: Device | undefined;
  message: string | undefined;
  cancelTimer: () => void;
  decide: (decision: Decision) => void;
}

/** The offer as owner.pairing tells it. */
export function pairingState(offer: Offer, monotonic: number): PairingState {
  const { phase, asking, paired, message } = offer;
  const live = phase !== "paired" && phase !== "over";
  return {
    state: phase === "admitting" ? "approve" : phase,
    leftMs: live ? Math.max(0, Math.round(offer.endsAt - monotonic)) : 0,
    ...(asking === undefined ? {} : { device: shownDevice(asking.shown) }),
    ...(paired === undefined
      ? {}
      : { paired: { id: paired.id, name: paired.name, capabilities: [...paired.capabilities] } }),
    ...(message === undefined ? {} : { message }),
  };
}

function shownDevice({ name, kind, wants, overHttp }: Waiting): NonNullable<PairingState["device"]> {
  return { name, kind, wants: [...wants], overHttp };
}
