/**
 * Offers to pair, in memory only: one alive at a time, for one use, burned by
 * failed handshakes; and the approval by the digits that the owner types.
 * A device is written down before anyone is told that it is in.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { EventEmitter } from "node:events";
import type { Capability } from "../protocol/capabilities.js";
import { forbidden, unavailable } from "../protocol/errors.js";
import { checkKind, checkOverHttp, knownRights, mayHold } from "../protocol/grants.js";
import type { PairingState } from "../protocol/owner.js";
import { OFFER_ID_BYTES, OFFER_SECRET_BYTES } from "../protocol/seal/pairing.js";
import type { Clock } from "./clock.js";
import type { Device, Devices } from "./devices.js";
import {
  APPROVAL_MS,
  MAX_ENDED_OFFERS,
  MAX_OFFER_FAILURES,
  MAX_WRONG_CODES,
  OFFER_MS,
  YES_OFFER_MS,
} from "./limits.js";
import { visibleName } from "./names.js";
import { type Asking, type Claim, type Decision, type Offer, pairingState, type Waiting } from "./offer.js";

export type { Asking, Claim, Waiting } from "./offer.js";

const SOMEONE_ELSE = "Someone else used the link too; type only a code that you read from your own device";
const AFTERWARDS = "Someone else tried the link after it was used";

export interface NewOffer {
  /** 16 bytes in base64url, as links carry it. */
  readonly offerId: string;
  readonly secret: Uint8Array;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export class Offers {
  readonly #devices: Devices;
  readonly #clock: Clock;
  readonly #changes = new EventEmitter<{ change: [string] }>();
  /** Newest last; only the newest can be alive. */
  readonly #offers = new Map<string, Offer>();

  constructor(devices: Devices, clock: Clock) {
    this.#devices = devices;
    this.#clock = clock;
  }

  /**
   * Makes the one live offer and ends the one before, its waiting approval too.
   * With `yes` the first device that completes it gets these rights at once,
   * and the offer lives a minute instead of five.
   */
  create(options: { yes?: readonly Capability[] } = {}): NewOffer {
    for (const old of this.#offers.values()) this.#end(old, "A newer link replaced this one");
    const lifeMs = options.yes === undefined ? OFFER_MS : YES_OFFER_MS;
    const offer: Offer = {
      id: randomBytes(OFFER_ID_BYTES).toString("base64url"),
      secret: new Uint8Array(randomBytes(OFFER_SECRET_BYTES)),
      yes: options.yes === undefined ? undefined : knownRights(options.yes),
      phase: "waiting",
      failures: 0,
      wrongCodes: 0,
      endsAt: 0,
      endsWhy: "",
      asking: undefined,
      paired: undefined,
      message: undefined,
      cancelTimer: () => undefined,
      decide: () => undefined,
    };
    this.#endIn(offer, lifeMs, "The link expired; make a new one");
    this.#offers.set(offer.id, offer);
    for (const id of this.#offers.keys()) {
      if (this.#offers.size <= MAX_ENDED_OFFERS) break;
      this.#offers.delete(id);
    }
    return { offerId: offer.id, secret: offer.secret, expiresAt: this.#clock.now() + lifeMs };
  }

  /** The secret of the live offer; undefined for one that is spent, over or unknown. */
  secretFor(offerId: string | Uint8Array): Uint8Array | undefined {
    const offer = this.#find(offerId);
    return offer?.phase === "waiting" ? offer.secret : undefined;
  }

  /** A handshake that named this offer failed. */
  failed(offerId: string | Uint8Array): void {
    const offer = this.#find(offerId);
    if (offer === undefined) return;
    if (offer.phase !== "waiting") {
      this.#warn(offer);
      return;
    }
    offer.failures++;
    if (offer.failures >= MAX_OFFER_FAILURES) {
      this.#end(offer, `The link was tried ${MAX_OFFER_FAILURES} times with a wrong secret; make a new one`);
    }
  }

  /**
   * Spends the offer for a device that completed its handshake; undefined when
   * it was not there to spend, and the owner hears of it when another device
   * waits on it.
   */
  claim(offerId: string | Uint8Array, given: Asking): Claim | undefined {
    const offer = this.#find(offerId);
    if (offer === undefined) return undefined;
    if (offer.phase !== "waiting") {
      this.#warn(offer);
      return undefined;
    }
    const decision = new Promise<Decision>((resolve) => {
      offer.decide = resolve;
    });
    const shown: Waiting = {
      offerId: offer.id,
      name: visibleName(given.name, `unnamed ${given.kind}`),
      kind: given.kind,
      wants: knownRights(given.wants),
      overHttp: given.overHttp,
      code: given.code,
      expiresAt: this.#clock.now() + APPROVAL_MS,
    };
    offer.asking = { given, shown };
    offer.phase = "approve";
    this.#endIn(offer, APPROVAL_MS, "Nobody typed the code in time; make a new link");
    this.#changes.emit("change", offer.id);
    if (offer.yes !== undefined) void this.#admitAtOnce(offer, given, offer.yes);
    const withdraw = (): void => this.#end(offer, "The device went away before it was approved");
    return { offerId: offer.id, decision, withdraw };
  }

  /** The device that waits for its code to be typed. */
  waiting(): Waiting | undefined {
    return this.#approvable()?.asking?.shown;
  }

  /**
   * Lets the waiting device in with `rights` when `code` is what it shows.
   * Throws Unavailable when none waits, Forbidden for a wrong code (the third
   * ends the offer) or for rights that it cannot be given; the device then
   * still waits.
   */
  async approve(
    code: string,
    rights: readonly string[],
    options: { acceptHttp?: boolean } = {},
  ): Promise<Device> {
    const offer = this.#approvable();
    const asking = offer?.asking?.given;
    if (offer === undefined || asking === undefined) {
      throw unavailable("No device waits for approval; make a link with nexusd pair and open it there");
    }
    if (!sameCode(code, asking.code)) this.#wrongCode(offer);
    const granted = knownRights(rights);
    checkKind(asking.kind, granted);
    if (asking.overHttp) checkOverHttp(granted, options.acceptHttp === true);
    return await this.#admit(offer, asking, granted);
  }

  /** Ends the live offer, whatever it waits for; nothing happens without one. */
  deny(): void {
    for (const offer of this.#offers.values()) this.#end(offer, "Denied by the owner");
  }

  /** How an offer stands; the last few that ended are remembered. */
  state(offerId: string): PairingState {
    const offer = this.#find(offerId);
    if (offer === undefined) return { state: "over", leftMs: 0, message: "No such link; make a new one" };
    return pairingState(offer, this.#clock.monotonic());
  }

  /** Called with the id of an offer whose {@link state} changed; the answer ends it. */
  onChange(listener: (offerId: string) => void): () => void {
    this.#changes.on("change", listener);
    return () => void this.#changes.off("change", listener);
  }

  dispose(): void {
    for (const offer of this.#offers.values()) this.#end(offer, "The daemon stops");
  }

  async #admitAtOnce(offer: Offer, asking: Asking, yes: readonly Capability[]): Promise<void> {
    const granted = yes.filter((right) => mayHold(asking.kind, right));
    try {
      if (granted.length === 0) checkKind(asking.kind, yes);
      await this.#admit(offer, asking, granted);
    } catch (error) {
      this.#end(offer, (error as Error).message);
    }
  }

  async #admit(offer: Offer, asking: Asking, capabilities: readonly Capability[]): Promise<Device> {
    const { key, name, kind, overHttp } = asking;
    // Nobody else may decide on it while it is written down, nor may its time run out.
    offer.cancelTimer();
    offer.phase = "admitting";
    let device: Device;
    try {
      device = await this.#devices.add({ key, name, kind, capabilities, overHttp });
    } catch (error) {
      offer.phase = "approve";
      const leftMs = Math.max(0, offer.endsAt - this.#clock.monotonic());
      this.#endIn(offer, leftMs, "Nobody typed the code in time; make a new link");
      throw error;
    }
    offer.phase = "paired";
    offer.paired = device;
    offer.decide({ approved: true, device });
    this.#changes.emit("change", offer.id);
    return device;
  }

  #wrongCode(offer: Offer): never {
    offer.wrongCodes++;
    const left = MAX_WRONG_CODES - offer.wrongCodes;
    if (left <= 0) {
      this.#end(offer, `The code was wrong ${MAX_WRONG_CODES} times; make a new link`);
      throw forbidden("That was not the code either; the link is over, make a new one");
    }
    throw forbidden(
      `That is not the code that the device shows; ${left} ${left === 1 ? "try" : "tries"} left`,
    );
  }

  #approvable(): Offer | undefined {
    for (const id of this.#offers.keys()) {
      const offer = this.#find(id);
      if (offer?.phase === "approve" && offer.yes === undefined) return offer;
    }
    return undefined;
  }

  #find(offerId: string | Uint8Array): Offer | undefined {
    const id = typeof offerId === "string" ? offerId : Buffer.from(offerId).toString("base64url");
    const offer = this.#offers.get(id);
    // A timer may be late on a busy machine; the time is over all the same.
    if (offer !== undefined && this.#clock.monotonic() >= offer.endsAt) this.#end(offer, offer.endsWhy);
    return offer;
  }

  #warn(offer: Offer): void {
    if (offer.phase === "over") return;
    const message = offer.phase === "paired" ? AFTERWARDS : SOMEONE_ELSE;
    if (offer.message === message) return;
    offer.message = message;
    this.#changes.emit("change", offer.id);
  }

  #endIn(offer: Offer, ms: number, why: string): void {
    offer.cancelTimer();
    offer.endsAt = this.#clock.monotonic() + ms;
    offer.endsWhy = why;
    offer.cancelTimer = this.#clock.after(ms, () => this.#end(offer, why));
  }

  #end(offer: Offer, why: string): void {
    if (offer.phase !== "waiting" && offer.phase !== "approve") return;
    offer.cancelTimer();
    offer.phase = "over";
    offer.message = why;
    offer.decide({ approved: false, reason: why });
    this.#changes.emit("change", offer.id);
  }
}

/** Compares the digits alone: people type spaces and dashes between them. */
function sameCode(typed: string, shown: string): boolean {
  const a = Buffer.from(typed.replace(/[\s-]/g, "").padEnd(20).slice(0, 20));
  const b = Buffer.from(shown.padEnd(20).slice(0, 20));
  return a.length === b.length && timingSafeEqual(a, b);
}
