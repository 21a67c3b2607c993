/** HTTP by hand: what a stranger sends, byte by byte, and all that comes back. */
import { connect, type Socket } from "node:net";

export const UPGRADE_HEADERS = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Protocol: nexus.sealed.1",
];

export function dial(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.on("error", () => undefined);
      resolve(socket);
    });
  });
}

/** Sends a request as it stands and resolves with what came back until the first blank line, or the end. */
export async function raw(port: number, lines: string[]): Promise<string> {
  const socket = await dial(port);
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  return await new Promise((resolve) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.includes("\r\n\r\n")) {
        socket.destroy();
        resolve(text);
      }
    });
    socket.on("close", () => resolve(text));
  });
}

/** The status of an upgrade with these headers in place of the usual ones. */
export async function upgradeStatus(port: number, headers: string[], path = "/rpc"): Promise<number> {
  const answer = await raw(port, [`GET ${path} HTTP/1.1`, ...headers]);
  return Number(answer.split(" ")[1] ?? 0);
}

/** Resolves when the socket ends, with how long that took in milliseconds. */
export async function untilClosed(socket: Socket): Promise<number> {
  const from = Date.now();
  if (!socket.destroyed) await new Promise((resolve) => socket.once("close", resolve));
  return Date.now() - from;
}
