/** Which of this machine's names and addresses a pairing link should carry. */
import { lookup } from "node:dns/promises";
import { hostname, type NetworkInterfaceInfo, networkInterfaces } from "node:os";

type Interfaces = Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>;

/** Interfaces of containers, bridges and virtual machines: no phone is on the other end. */
const INNER_INTERFACE = /^(docker|br-|veth|virbr|vmnet|vboxnet|cni|flannel|podman|lxc|lxd)/;

/** How long a name may take to resolve before the address is used. */
const RESOLVE_MS = 500;

/** IPv4 addresses that other machines may reach, a tailnet's first: it works from everywhere. */
export function reachableAddresses(interfaces: Interfaces = networkInterfaces()): string[] {
  const found: { address: string; rank: number }[] = [];
  for (const [name, infos] of Object.entries(interfaces)) {
    if (INNER_INTERFACE.test(name)) continue;
    for (const info of infos ?? []) {
      if (info.internal || info.family !== "IPv4" || info.address.startsWith("169.254.")) continue;
      found.push({ address: info.address, rank: name.startsWith("tailscale") ? 0 : 1 });
    }
  }
  return found.sort((a, b) => a.rank - b.rank).map(({ address }) => address);
}

/**
 * The host for links: `host.local` where that name leads to this machine (it
 * stays the same when the address changes, and a page's key belongs to its
 * origin), else the first reachable address, else loopback.
 */
export async function linkHost(interfaces: Interfaces = networkInterfaces()): Promise<string> {
  const addresses = reachableAddresses(interfaces);
  const name = `${hostname().split(".")[0]?.toLowerCase()}.local`;
  const resolved = await Promise.race([
    lookup(name, { family: 4 }).then(
      ({ address }) => address,
      () => undefined,
    ),
    new Promise<undefined>((resolve) => setTimeout(resolve, RESOLVE_MS, undefined).unref()),
  ]);
  if (resolved !== undefined && addresses.includes(resolved)) return name;
  return addresses[0] ?? "127.0.0.1";
}
