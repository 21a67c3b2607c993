/** Listening at a port, with a sentence when it cannot be had. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens at all of the machine's addresses, or at one; the answer is the port. */
export async function listen(
  server: Server,
  at: { host: string | undefined; port: number },
): Promise<number> {
  // "::" takes IPv4 too; a machine without IPv6 has only "0.0.0.0".
  const hosts = at.host === undefined ? ["::", "0.0.0.0"] : [at.host];
  for (const [index, host] of hosts.entries()) {
    try {
      await listenAt(server, host, at.port);
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const noSuchFamily = code === "EAFNOSUPPORT" || code === "EADDRNOTAVAIL";
      if (!noSuchFamily || index === hosts.length - 1)
        throw new Error(sentence(host, at.port, code), { cause: error });
    }
  }
  throw new Error("No address to listen at");
}

function listenAt(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function sentence(host: string, port: number, code: string | undefined): string {
  if (code === "EADDRINUSE")
    return `Port ${port} is taken by another program; pick one with --port, or 0 for any`;
  if (code === "EACCES") return `This user may not listen at port ${port}; pick one above 1023 with --port`;
  if (code === "EADDRNOTAVAIL") return `${host} is no address of this machine; check --host`;
  return `Could not listen at ${host}:${port} (${code ?? "unknown"})`;
}
