/** One offer from the link to its end: shown, claimed by a device, approved by the digits that the owner types. */
import type { Capability } from "../../protocol/capabilities.js";
import { RpcErrorCode, RpcFailure } from "../../protocol/errors.js";
import { nameGrant } from "../../protocol/grants.js";
import type { OwnerResult, PairingState } from "../../protocol/owner.js";
import type { Session } from "../connect.js";
import { CommandFailure, ExitCode } from "../exit.js";
import type { Output } from "../output.js";
import { ask, canAsk } from "../prompt.js";
import { askGrant, HTTP_SENTENCE, riskyOverHttp, typedYes } from "./grant-choice.js";

export type Offer = OwnerResult<"owner.pair">;
export type PairedDevice = NonNullable<PairingState["paired"]>;

export interface FollowOptions {
  readonly output: Output;
  /** Named beforehand: nothing is asked about rights, and naming a risky one is the yes to it. */
  readonly caps?: readonly Capability[] | undefined;
  /** The first device is let in without its digits. */
  readonly yes: boolean;
}

/** Resolves with the device that is in; fails when the offer is over without one. */
export async function followOffer(
  session: Session,
  offer: Offer,
  options: FollowOptions,
): Promise<PairedDevice> {
  let state = await untilChanged(session, offer, "waiting");
  if (state.state === "approve") {
    state = options.yes
      ? await untilChanged(session, offer, "approve")
      : await approval(session, offer, state, options);
  }
  if (state.paired === undefined) throw over(state, offer);
  return state.paired;
}

/** Asks until the offer's state is another one. */
async function untilChanged(
  session: Session,
  offer: Offer,
  known: PairingState["state"],
): Promise<PairingState> {
  for (;;) {
    const state = await session.client.request("owner.pairing", { offerId: offer.offerId, state: known });
    if (state.state !== known) return state;
  }
}

/** The device waits for its digits: they are asked here, unless another terminal or the clock ends it first. */
async function approval(
  session: Session,
  offer: Offer,
  waiting: PairingState,
  options: FollowOptions,
): Promise<PairingState> {
  const { output } = options;
  if (waiting.device !== undefined) describeDevice(output, waiting.device);
  const ended = new AbortController();
  const end = untilChanged(session, offer, "approve").finally(() => ended.abort(new OfferEnded()));
  if (!canAsk()) {
    output.note("Type the six digits that it shows: nexusd approve CODE --caps RIGHTS");
    return await end;
  }
  end.catch(() => undefined); // awaited below; until then the question is in front
  try {
    await approveHere(session, waiting, { ...options, signal: ended.signal });
  } catch (error) {
    if (!(error instanceof OfferEnded)) throw error;
  }
  return await end;
}

class OfferEnded extends Error {}

/** Asks for the digits and the rights, again after a wrong code for as long as the offer lives. */
async function approveHere(
  session: Session,
  waiting: PairingState,
  options: FollowOptions & { signal: AbortSignal },
): Promise<void> {
  const { output, caps, signal } = options;
  const note = (line: string): void => output.note(line);
  let rights = caps;
  let acceptHttp = caps !== undefined;
  for (;;) {
    const code = await ask("The six digits on its screen (nothing to refuse it): ", { signal });
    if (code === "") {
      await session.client.request("owner.deny", {});
      return;
    }
    rights ??= await askGrant(note, { signal });
    const risky = riskyOverHttp(rights);
    if (waiting.device?.overHttp === true && risky.length > 0 && !acceptHttp) {
      acceptHttp = await typedYes(HTTP_SENTENCE, risky, { signal });
      if (!acceptHttp) rights = rights.filter((right) => !risky.includes(right));
    }
    if (await approved(session, { code, capabilities: [...rights], acceptHttp }, note)) return;
  }
}

/** False when the code was wrong; what else is wrong is thrown. */
async function approved(
  session: Session,
  params: { code: string; capabilities: Capability[]; acceptHttp: boolean },
  note: (line: string) => void,
): Promise<boolean> {
  try {
    await session.client.request("owner.approve", params);
    return true;
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    note(error.message);
    // the offer may be over with it, which the caller hears of
    return error.code === RpcErrorCode.Unavailable;
  }
}

function describeDevice(output: Output, device: NonNullable<PairingState["device"]>): void {
  const http = device.overHttp ? ", in a page over plain http" : "";
  output.note(`A device asks to be let in: ${device.name} (${device.kind}${http})`);
  if (device.wants.length > 0) output.note(`It wishes for: ${nameGrant(device.wants)}`);
}

function over(state: PairingState, offer: Offer): CommandFailure {
  const expired = Date.now() >= offer.expiresAt;
  const why = state.message ?? "The link is over; make a new one with nexusd pair";
  return new CommandFailure(expired ? ExitCode.timedOut : ExitCode.failed, why);
}

/** Says who is in. */
export function tellPaired(output: Output, paired: PairedDevice): void {
  output.value({ paired });
  output.line(`${paired.name} is paired and may: ${nameGrant(paired.capabilities)} (${paired.id})`);
}
