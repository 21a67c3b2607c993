import { expect, test } from "vitest";
import { redirectPage } from "../../../../src/cli/nexusd/browser.js";
import { localLink } from "../../../../src/cli/nexusd/open.js";
import { generateKeyPair } from "../../../../src/protocol/seal/identity.js";
import { formatPairLink, parsePairLink } from "../../../../src/protocol/seal/pairing.js";

const linkAt = (url: string): string =>
  formatPairLink({
    url,
    offerId: new Uint8Array(16).fill(1),
    serverKey: generateKeyPair().publicKey,
    secret: new Uint8Array(16).fill(2),
  });

test("the browser of this machine gets the same offer at localhost, which it trusts over http", () => {
  const link = linkAt("http://desk.local:8137/");
  const local = localLink(link, 8137);
  expect(new URL(local).origin).toBe("http://localhost:8137");
  expect(new URL(local).hash).toBe(new URL(link).hash);
  expect(parsePairLink(local)).toBeDefined();
});

test("an https address stays: its certificate has that name", () => {
  const link = linkAt("https://desk.tailnet.example/");
  expect(localLink(link, 8137)).toBe(link);
});

test("the page that leads on cannot be left by what stands in the link", () => {
  const page = redirectPage("http://localhost/#</script><b>");
  expect(page).not.toContain("</script><b>");
  expect(page).toContain("location.replace(");
});
