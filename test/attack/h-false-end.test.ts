/** Row H8: whoever answers at the server's address closes with words that would be final if the server said them. */
import { describe, expect, it } from "vitest";
import { clientOf, startSealedServer } from "../support/served-client.js";
import { waitFor } from "../support/wait-for.js";

describe("H8", () => {
  it.each([4401, 4403])(
    "a stranger's %i is not final: the client keeps its key and comes back",
    async (code) => {
      const stranger = await startSealedServer({
        intercept: (socket) => {
          socket.close(code);
          return true;
        },
      });
      const { port, keyPair } = stranger;
      const client = clientOf(stranger);
      const call = client.call("terminal.read", { workspaceId: "w", tabId: "t" });
      await waitFor("the refusal", () => client.state.state === "offline");
      await stranger.close();
      await startSealedServer({ port, keyPair, answer: () => ({ text: "mine" }) });
      client.wake();
      expect(await call).toEqual({ text: "mine" });
    },
  );

  it.each([4401, 4403])("the server's own %i outside the sealed link is not final either", async (code) => {
    const server = await startSealedServer({ greet: ({ socket }) => socket.close(code) });
    const client = clientOf(server);
    await waitFor("the refusal", () => client.state.state === "offline");
    server.options = {};
    client.wake();
    await client.whenReady();
    server.link.socket.close(code);
    await waitFor("the end", () => client.state.state === "offline");
  });

  it("a stranger's link.closed, sealed with nothing, is none", async () => {
    const words = JSON.stringify({ jsonrpc: "2.0", method: "link.closed", params: { reason: "revoked" } });
    const stranger = await startSealedServer({
      intercept: (socket) => {
        socket.on("message", () => {
          socket.send(words);
          socket.send(Buffer.concat([Buffer.from([2]), Buffer.from(words)]));
          socket.close(4403);
        });
        return true;
      },
    });
    const client = clientOf(stranger);
    await waitFor("the end", () => client.state.state === "offline");
  });
});
