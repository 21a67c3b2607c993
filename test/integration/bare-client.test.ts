/** A client that shares no code with ours, against our side of the handshake and records. */
import { describe, expect, it } from "vitest";
import { deviceIdOf } from "../../src/protocol/seal/identity.js";
import { sasCode } from "../../src/protocol/seal/pairing.js";
import { BareClient } from "../support/bare-client.js";
import { startSealedServer } from "../support/served-client.js";

describe("a client written from the description alone", () => {
  it("pairs, shows the same digits, and links again with its key", async () => {
    const server = await startSealedServer({ answer: ({ params }) => params });
    const paired = await BareClient.pair(server.pairLink, { name: "Bare", wants: ["git"] });
    const ready = await paired.notified("link.ready");
    expect(server.link.client).toMatchObject({ mode: "pair", payload: { name: "Bare", wants: ["git"] } });
    expect(paired.code).toBe(sasCode(server.link.client.handshakeHash));
    expect(ready.device.id).toBe(paired.deviceId);
    expect(paired.deviceId).toBe(deviceIdOf(paired.device.keys.publicKey));
    await paired.close();

    const linked = await BareClient.link(paired.device);
    await linked.notified("link.ready");
    expect(await linked.call("x", { said: "hello" })).toEqual({ said: "hello" });
    await linked.close();
  });

  it("goes through both changes of keys, with messages of every size", async () => {
    const server = await startSealedServer({ answer: ({ params }) => params });
    const client = await BareClient.pair(server.pairLink);
    for (let i = 0; i < 2100; i++) {
      const said = "x".repeat(i % 7 === 0 ? i * 5 : 3);
      expect((await client.call("echo", { said })).said.length).toBe(said.length);
    }
    const largest = "y".repeat(785_000);
    expect(await client.call("echo", { said: largest })).toEqual({ said: largest });
    await client.close();
  });

  it("is told nothing with a wrong offer, and the close code alone", async () => {
    const server = await startSealedServer();
    const link = server.pairLink.replace(/[\w-]{22}$/, "A".repeat(22));
    const client = await BareClient.pair(link);
    expect(await client.closed).toEqual({ code: 4401, reason: "handshake failed" });
    expect(client.notifications).toEqual([]);
  });
});
