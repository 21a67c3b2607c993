/** Makes an offer, shows it, follows it to its end, and takes it back when the person leaves. */
import type { Session } from "../connect.js";
import { interrupted } from "../exit.js";
import { type FollowOptions, followOffer, type Offer, tellPaired } from "./offer.js";

export interface RunOptions extends FollowOptions {
  /** Hands the link to the person. */
  show(offer: Offer): Promise<void> | void;
}

/**
 * Resolves when a device is in. Ctrl-C takes the offer back at any moment: a
 * link on the screen must not outlive the will to pair.
 */
export async function runOffer(session: Session, options: RunOptions): Promise<void> {
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(interrupted());
  });
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  const offering = offer(session, options);
  try {
    tellPaired(options.output, await Promise.race([offering, stopped]));
  } catch (error) {
    offering.catch(() => undefined); // the first end is the one that is told
    await session.client.request("owner.deny", {}).catch(() => undefined); // over, or the daemon is gone: both end it
    throw error;
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}

async function offer(session: Session, options: RunOptions): ReturnType<typeof followOffer> {
  const { yes, caps } = options;
  const made = await session.client.request(
    "owner.pair",
    yes && caps !== undefined ? { yes: [...caps] } : {},
  );
  await options.show(made);
  return await followOffer(session, made, options);
}
