/** The rights a device can hold. Each method of the protocol names the one it takes. */
import { z } from "zod";

export const CAPABILITIES = [
  "sessions",
  "chat.read",
  "chat.control",
  "terminal.read",
  "terminal.control",
  "files",
  "git",
  /** Requests that an agent sends (`from`), within the owner's limits. */
  "agents",
  /** The owner.* methods from a device: revoke a lost phone from another one. Never a default. */
  "owner",
] as const;

export const CapabilitySchema = z.enum(CAPABILITIES);
export type Capability = z.infer<typeof CapabilitySchema>;

export function isCapability(text: string): text is Capability {
  return (CAPABILITIES as readonly string[]).includes(text);
}
