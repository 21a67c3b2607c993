/** owner.peers and owner.peer.*: the daemons that this machine's agents can send to. */
import type { OwnedPeer, OwnerResult } from "../protocol/owner.js";
import type { OwnerHandlers } from "./context.js";

type PeersMethod = Extract<keyof OwnerHandlers, "owner.peers" | `owner.peer.${string}`>;

/** What the server keeps of them. */
export interface PeerDesk {
  list(): OwnedPeer[];
  /** Begins to pair by a link; resolves with the digits for the owner there. */
  add(link: string, name: string | undefined): Promise<OwnerResult<"owner.peer.add">>;
  /** Resolves when it is over, or after ten seconds. */
  added(pairingId: string, signal: AbortSignal): Promise<OwnerResult<"owner.peer.added">>;
  /** Throws NotFound. */
  remove(peer: string): Promise<void>;
}

export function createOwnerPeersMethods({ peers }: { peers: PeerDesk }): Pick<OwnerHandlers, PeersMethod> {
  return {
    "owner.peers": () => ({ peers: peers.list() }),
    "owner.peer.add": (_ctx, { link, name }) => peers.add(link, name),
    "owner.peer.added": (ctx, { pairingId }) => peers.added(pairingId, ctx.signal),
    "owner.peer.remove": async (_ctx, { peer }) => {
      await peers.remove(peer);
      return {};
    },
  };
}
