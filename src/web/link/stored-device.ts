/**
 * What this page keeps of its pairing, in the origin's storage: the device's
 * record, or the record sealed under a PIN.
 */
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { scryptAsync } from "@noble/hashes/scrypt.js";
import { z } from "zod";
import { type DeviceRecord, DeviceRecordSchema } from "../../client/index.js";
import { fromBase64Url, toBase64Url } from "../../protocol/seal/encoding.js";
import { PIN_SCRYPT_N } from "../limits.js";

const KEY = "nexus.device";
const SALT_BYTES = 16;
const NONCE_BYTES = 12;

const SealedSchema = z.object({ salt: z.string(), nonce: z.string(), box: z.string(), chars: z.number() });
const StoredSchema = z.union([
  z.object({ record: DeviceRecordSchema }),
  z.object({ sealed: SealedSchema, serverName: z.string() }),
]);
export type StoredDevice = z.infer<typeof StoredSchema>;

/** Undefined when this page is not paired, or its storage was cleared or damaged. */
export function readStored(): StoredDevice | undefined {
  const text = localStorage.getItem(KEY);
  if (text === null) return undefined;
  try {
    return StoredSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // no JSON: as good as not there
  }
}

export function storeRecord(record: DeviceRecord): void {
  localStorage.setItem(KEY, JSON.stringify({ record }));
}

export function forgetDevice(): void {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith("nexus.")) localStorage.removeItem(key);
  }
}

export async function storeUnderPin(record: DeviceRecord, pin: string): Promise<void> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const plain = new TextEncoder().encode(JSON.stringify(record));
  const box = chacha20poly1305(await keyOf(pin, salt), nonce).encrypt(plain);
  const sealed = {
    salt: toBase64Url(salt),
    nonce: toBase64Url(nonce),
    box: toBase64Url(box),
    chars: box.length,
  };
  localStorage.setItem(KEY, JSON.stringify({ sealed, serverName: record.serverName }));
}

/** Undefined for a wrong PIN. */
export async function openWithPin(
  { sealed }: Extract<StoredDevice, { sealed: unknown }>,
  pin: string,
): Promise<DeviceRecord | undefined> {
  const salt = fromBase64Url(sealed.salt, SALT_BYTES);
  const nonce = fromBase64Url(sealed.nonce, NONCE_BYTES);
  const box = fromBase64Url(sealed.box, sealed.chars);
  if (salt === undefined || nonce === undefined || box === undefined) return undefined;
  try {
    const plain = chacha20poly1305(await keyOf(pin, salt), nonce).decrypt(box);
    return DeviceRecordSchema.parse(JSON.parse(new TextDecoder().decode(plain)));
  } catch {
    return undefined; // the tag did not fit: another PIN
  }
}

function keyOf(pin: string, salt: Uint8Array): Promise<Uint8Array> {
  return scryptAsync(pin, salt, { N: PIN_SCRYPT_N, r: 8, p: 1, dkLen: 32 });
}
