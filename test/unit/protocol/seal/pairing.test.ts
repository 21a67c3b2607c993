import { createHmac, hkdfSync } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateKeyPair } from "../../../../src/protocol/seal/identity.js";
import {
  formatPairLink,
  type PairLink,
  pairingPsk,
  parsePairLink,
  prologueOf,
  sasCode,
} from "../../../../src/protocol/seal/pairing.js";

const link: PairLink = {
  url: "http://laptop.local:8137/",
  offerId: new Uint8Array(16).fill(1),
  serverKey: generateKeyPair().publicKey,
  secret: new Uint8Array(16).fill(3),
};

describe("a link to pair with", () => {
  it("reads back what was written, whatever the bytes", () => {
    const sixteen = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(sixteen, sixteen, (offerId, secret) => {
        const made = { ...link, offerId, secret };
        expect(parsePairLink(formatPairLink(made))).toEqual(made);
      }),
      { numRuns: 20 },
    );
  });

  it("keeps its secret in the fragment, which is never sent", () => {
    const url = new URL(formatPairLink(link));
    expect(url.origin + url.pathname + url.search).toBe("http://laptop.local:8137/");
    expect(url.hash).toMatch(/^#pair=1\.[\w-]{22}\.[\w-]{43}\.[\w-]{22}$/);
  });

  it("stands under a path, over https, and between blanks", () => {
    const text = formatPairLink({ ...link, url: "https://host.example/nexus/index.html?x=1" });
    expect(text).toMatch(/^https:\/\/host\.example\/nexus\/#pair=/);
    expect(parsePairLink(` ${text}\n`)?.url).toBe("https://host.example/nexus/");
  });

  const good = formatPairLink(link);
  const [, offer = "", server = "", secret = ""] = good.split(/[.]+(?=[\w-]+(?:\.|$))/).slice(-4);
  it.each([
    ["nothing", ""],
    ["no URL", "pair=1.a.b.c"],
    ["another scheme", good.replace("http:", "javascript:")],
    ["no fragment", link.url],
    ["the offer in the query", good.replace("#", "?")],
    ["another version", good.replace("pair=1.", "pair=2.")],
    ["a part too few", good.slice(0, good.lastIndexOf("."))],
    ["a part too many", `${good}.${secret}`],
    ["a short secret", good.slice(0, -1)],
    ["a padded secret", `${good}==`],
    ["other characters", good.replace(offer, `${offer.slice(1)}*`)],
    ["a server key of low order", good.replace(server, "A".repeat(43))],
    ["something before", good.replace("#pair", "#x&pair")],
  ])("is not read from %s", (_what, text) => {
    expect(parsePairLink(text)).toBeUndefined();
  });
});

describe("what both sides compute", () => {
  it("the pre-shared key, as HKDF says", () => {
    const expected = hkdfSync("sha256", link.secret, link.offerId, "nexus pair psk 1", 32);
    expect(pairingPsk(link.secret, link.offerId)).toEqual(new Uint8Array(expected));
  });

  it("the prologue, with the mode, the offer and the server's key in it", () => {
    const prologue = prologueOf({ mode: 2, offerId: link.offerId, serverKey: link.serverKey });
    expect(Buffer.from(prologue)).toEqual(
      Buffer.concat([Buffer.from("nexus-remote/1\0\x02"), link.offerId, link.serverKey]),
    );
  });

  it("six digits from the handshake's hash, leading zeros kept", () => {
    const byHand = (hash: Uint8Array): string => {
      const extracted = createHmac("sha256", Buffer.alloc(32)).update(hash).digest();
      const expanded = createHmac("sha256", extracted).update("nexus sas 1\x01").digest();
      return String(expanded.readUInt32BE(0) % 1_000_000).padStart(6, "0");
    };
    const codes = Array.from({ length: 200 }, (_, i) => new Uint8Array(32).fill(i));
    for (const hash of codes) expect(sasCode(hash)).toBe(byHand(hash));
    expect(codes.some((hash) => sasCode(hash).startsWith("0"))).toBe(true);
  });
});
