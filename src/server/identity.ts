/** Who this daemon is: its static key pair, and the key that tabs' tokens come from. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { generateKeyPair, keyPairOf } from "../protocol/seal/identity.js";
import type { KeyPair } from "../protocol/seal/noise.js";
import { openKept } from "./state.js";

const KEY_BYTES = 32;
const Key = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const IdentitySchema = z.object({ version: z.literal(1), secretKey: Key, tabKey: Key });

export interface Identity {
  readonly keyPair: KeyPair;
  readonly tabKey: Uint8Array;
}

/** Reads identity.json, or makes it at the first start. A damaged one stops the start: a new key would lock every device out. */
export async function openIdentity(stateDir: string): Promise<Identity> {
  const fresh = {
    version: 1 as const,
    secretKey: Buffer.from(generateKeyPair().secretKey).toString("base64url"),
    tabKey: randomBytes(KEY_BYTES).toString("base64url"),
  };
  const kept = await openKept(join(stateDir, "identity.json"), IdentitySchema, fresh);
  if (kept.value === fresh) await kept.save(fresh);
  return {
    keyPair: keyPairOf(Buffer.from(kept.value.secretKey, "base64url")),
    tabKey: Buffer.from(kept.value.tabKey, "base64url"),
  };
}
