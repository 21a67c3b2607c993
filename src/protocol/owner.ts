/**
 * What the owner asks their own daemon: at the workstation over owner.sock, and
 * for the methods marked `remote` from a device that holds the `owner` right.
 * Everyone else is told that there is no such method.
 */
import { z } from "zod";
import { CapabilitySchema } from "./capabilities.js";

const Ok = z.object({});
const Caps = z.array(CapabilitySchema);
const DeviceKindSchema = z.enum(["phone", "laptop", "daemon", "cli"]);

export const OwnedDeviceSchema = z.object({
  id: z.string(),
  name: z.string(),
  kind: DeviceKindSchema,
  capabilities: Caps,
  pairedAt: z.number(),
  lastSeenAt: z.number().optional(),
  /** Live links right now. */
  links: z.number().int().nonnegative(),
  /** Paired from a page that came over plain http. */
  overHttp: z.boolean().optional(),
});
export type OwnedDevice = z.infer<typeof OwnedDeviceSchema>;

export const OwnedWorkspaceSchema = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  parentId: z.string().optional(),
  manager: z.boolean().optional(),
  /** A repository found under projectRoots that nobody used yet. */
  closed: z.boolean().optional(),
  tabs: z.number().int().nonnegative(),
});
export type OwnedWorkspace = z.infer<typeof OwnedWorkspaceSchema>;

const PairingStateSchema = z.object({
  state: z.enum(["waiting", "approve", "paired", "over"]),
  /** Milliseconds left of the offer or of the approval. */
  leftMs: z.number().nonnegative(),
  /** The device that asks; never its code, which the owner reads from its screen. */
  device: z
    .object({ name: z.string(), kind: DeviceKindSchema, wants: Caps, overHttp: z.boolean() })
    .optional(),
  paired: z.object({ id: z.string(), name: z.string(), capabilities: Caps }).optional(),
  /** Why it is over, or what the owner should know ("someone else used the link"). */
  message: z.string().optional(),
});
export type PairingState = z.infer<typeof PairingStateSchema>;

const StatusSchema = z.object({
  version: z.string(),
  pid: z.number().int(),
  url: z.string(),
  port: z.number().int(),
  startedAt: z.number(),
  boot: z.string(),
  links: z.number().int().nonnegative(),
  devices: z.number().int().nonnegative(),
  workspaces: z.number().int().nonnegative(),
  /** Tabs by the state they are in. */
  sessions: z.record(z.string(), z.number().int().nonnegative()),
  /** Bytes. */
  rss: z.number().nonnegative(),
  stateDir: z.string(),
  problems: z.array(z.string()),
});
export type DaemonStatus = z.infer<typeof StatusSchema>;

const CheckSchema = z.object({
  name: z.string(),
  ok: z.boolean(),
  detail: z.string(),
  /** What to do when it is not ok. */
  repair: z.string().optional(),
});
export type DoctorCheck = z.infer<typeof CheckSchema>;

const AgentClassSchema = z.enum(["message", "steer", "type", "open", "answer"]);

const ConsentSchema = z.object({
  id: z.string(),
  /** The device, by its proven key. */
  deviceId: z.string(),
  deviceName: z.string(),
  /** As the device claims. */
  agent: z.string(),
  hops: z.number().int(),
  method: z.string(),
  class: AgentClassSchema,
  workspaceId: z.string(),
  tabId: z.string(),
  /** One line that is enough to decide on. */
  title: z.string(),
  /** The exact content; its start when `long`. */
  text: z.string(),
  bytes: z.number().int().nonnegative(),
  /** To be read whole before it can be allowed. */
  long: z.boolean(),
  at: z.number(),
  expiresAt: z.number(),
});
export type OwnedConsent = z.infer<typeof ConsentSchema>;

const ConsentRuleSchema = z.object({
  id: z.string(),
  deviceId: z.string(),
  /** A tab or workspace; null for all. */
  target: z.string().nullable(),
  class: AgentClassSchema,
  decision: z.enum(["allow", "deny", "ask"]),
  at: z.number(),
  by: z.string(),
});

const TrafficHead = { device: z.string(), agent: z.string(), target: z.string(), hops: z.number().int() };

const AgentsSchema = z.object({
  stopped: z.object({ at: z.number(), by: z.string() }).optional(),
  /** Who asked whom, the latest last. */
  routes: z.array(z.object({ ...TrafficHead, count: z.number().int(), at: z.number() })),
  /** Who was turned away, and why: hops, rate, stopped, denied, expired, muted, busy or withdrawn. */
  refusals: z.array(z.object({ ...TrafficHead, why: z.string(), at: z.number() })),
  /** Devices that are not asked about for a while. */
  muted: z.array(z.object({ deviceId: z.string(), leftMs: z.number() })),
});
export type OwnedAgents = z.infer<typeof AgentsSchema>;

const PeerSchema = z.object({
  /** The device id of that daemon here, should it be paired with this one too. */
  id: z.string(),
  /** What --device takes. */
  name: z.string(),
  serverName: z.string(),
  urls: z.array(z.string()),
  pairedAt: z.number(),
  /** Whether it may send here: without that nothing that goes there can be replied to. */
  mayReply: z.boolean(),
});
export type OwnedPeer = z.infer<typeof PeerSchema>;

export const OWNER_METHODS = {
  /** Makes the one live offer; a link with its secret comes back, for a terminal or stdout only. */
  "owner.pair": {
    remote: false,
    params: z.object({
      /** What the first device that completes this very offer gets without the typed code. */
      yes: Caps.optional(),
    }),
    result: z.object({ offerId: z.string(), link: z.string(), expiresAt: z.number() }),
  },
  /** Waits at most 10 s for the offer's state to differ from `state`. */
  "owner.pairing": {
    remote: false,
    params: z.object({ offerId: z.string(), state: z.string().optional() }),
    result: PairingStateSchema,
  },
  /** Lets the waiting device in: `code` are the six digits that it shows. */
  "owner.approve": {
    remote: false,
    params: z.object({
      code: z.string().max(20),
      capabilities: Caps,
      /** The typed yes that a page over plain http needs for terminal.control, agents or owner. */
      acceptHttp: z.boolean().optional(),
    }),
    result: z.object({ id: z.string(), name: z.string(), capabilities: Caps }),
  },
  "owner.deny": { remote: false, params: Ok, result: Ok },
  "owner.devices": {
    remote: true,
    params: Ok,
    result: z.object({ devices: z.array(OwnedDeviceSchema) }),
  },
  "owner.grant": {
    remote: true,
    params: z.object({ deviceId: z.string(), capabilities: Caps }),
    result: z.object({ capabilities: Caps }),
  },
  /** Ends a device's links at once; `left` names what it opened and leaves behind. */
  "owner.revoke": {
    remote: true,
    params: z.object({ deviceId: z.string() }),
    result: z.object({
      left: z.array(
        z.object({ kind: z.string(), workspaceId: z.string(), tabId: z.string(), title: z.string() }),
      ),
    }),
  },
  "owner.workspaces": {
    remote: false,
    params: Ok,
    result: z.object({ workspaces: z.array(OwnedWorkspaceSchema) }),
  },
  "owner.workspace.add": {
    remote: false,
    params: z.object({ path: z.string().min(1).max(4096) }),
    result: OwnedWorkspaceSchema,
  },
  /** By id, name or path; one with tabs only with `force`, which closes them. */
  "owner.workspace.remove": {
    remote: false,
    params: z.object({ workspace: z.string().min(1).max(4096), force: z.boolean().optional() }),
    result: OwnedWorkspaceSchema,
  },
  "owner.status": { remote: false, params: Ok, result: StatusSchema },
  "owner.doctor": { remote: false, params: Ok, result: z.object({ checks: z.array(CheckSchema) }) },
  /** Ends the daemon; `keepTerminals` leaves their host running. What ran is in the answer. */
  "owner.stop": {
    remote: false,
    params: z.object({ keepTerminals: z.boolean().optional(), force: z.boolean().optional() }),
    result: z.object({ running: z.array(z.string()) }),
  },
  /** A raw attach: its bytes come as owner.attach.data on the same connection, base64. */
  "owner.attach": {
    remote: false,
    params: z.object({
      workspaceId: z.string(),
      tabId: z.string(),
      cols: z.number().int().min(1).max(1000),
      rows: z.number().int().min(1).max(1000),
    }),
    result: z.object({ attachId: z.string() }),
  },
  "owner.attach.input": {
    remote: false,
    params: z.object({ attachId: z.string(), data: z.string().max(131_072) }),
    result: Ok,
  },
  "owner.attach.resize": {
    remote: false,
    params: z.object({
      attachId: z.string(),
      cols: z.number().int().min(1).max(1000),
      rows: z.number().int().min(1).max(1000),
    }),
    result: Ok,
  },
  "owner.attach.detach": {
    remote: false,
    params: z.object({ attachId: z.string() }),
    result: Ok,
  },
  /** The last lines of the audit log, oldest first. */
  "owner.audit": {
    remote: true,
    params: z.object({ limit: z.number().int().positive().max(500).optional() }),
    result: z.object({ entries: z.array(z.record(z.string(), z.unknown())) }),
  },
  /** Reads all of the audit log: every line whole, every hash right. */
  "owner.audit.verify": {
    remote: true,
    params: Ok,
    result: z.object({
      ok: z.boolean(),
      lines: z.number().int().nonnegative(),
      file: z.string().optional(),
      line: z.number().int().optional(),
      why: z.string().optional(),
    }),
  },

  /** What waits for the owner's yes, and what was decided. With `known` it waits at most 10 s for a change. */
  "owner.consents": {
    remote: true,
    params: z.object({ known: z.number().int().nonnegative().optional() }),
    result: z.object({
      version: z.number().int().nonnegative(),
      waiting: z.array(ConsentSchema),
      rules: z.array(ConsentRuleSchema),
    }),
  },
  /** One of them with its whole text, which may be allowed by who read it. */
  "owner.consent.read": {
    remote: true,
    params: z.object({ id: z.string() }),
    result: ConsentSchema,
  },
  "owner.consent.answer": {
    remote: true,
    params: z.object({
      id: z.string(),
      decision: z.enum(["allow", "deny"]),
      /** With allow: from now on, for this device, target and kind of request. */
      remember: z.boolean().optional(),
      /** With deny: nothing more of this device for ten minutes. */
      mute: z.boolean().optional(),
    }),
    result: Ok,
  },
  /** Decides for good; `ask` takes an allow or a deny back for one target. */
  "owner.consent.set": {
    remote: false,
    params: z.object({
      /** A device by id or name, or `local` for the tabs of this machine. */
      device: z.string().min(1).max(200),
      /** A tab or workspace by id; all when absent. */
      target: z.string().max(512).optional(),
      class: AgentClassSchema,
      decision: z.enum(["allow", "deny", "ask"]),
    }),
    result: ConsentRuleSchema,
  },
  "owner.consent.forget": { remote: false, params: z.object({ id: z.string() }), result: Ok },
  "owner.agents": { remote: true, params: Ok, result: AgentsSchema },
  /** Refuses every request between agents until resumed. */
  "owner.agents.stop": { remote: true, params: Ok, result: AgentsSchema },
  "owner.agents.resume": { remote: true, params: Ok, result: AgentsSchema },
  "owner.peers": { remote: false, params: Ok, result: z.object({ peers: z.array(PeerSchema) }) },
  /** Pairs this daemon with another by its owner's link; the code is for that owner. */
  "owner.peer.add": {
    remote: false,
    params: z.object({
      link: z.string().min(1).max(2000),
      /** What to call it here; its own name otherwise. */
      name: z.string().min(1).max(100).optional(),
    }),
    result: z.object({ pairingId: z.string(), code: z.string() }),
  },
  /** Waits at most 10 s for the end of such a pairing. */
  "owner.peer.added": {
    remote: false,
    params: z.object({ pairingId: z.string() }),
    result: z.object({
      state: z.enum(["waiting", "paired", "over"]),
      message: z.string().optional(),
      peer: PeerSchema.optional(),
    }),
  },
  "owner.peer.remove": { remote: false, params: z.object({ peer: z.string().min(1).max(200) }), result: Ok },
} as const;

export type OwnerMethod = keyof typeof OWNER_METHODS;
export type OwnerParams<M extends OwnerMethod> = z.infer<(typeof OWNER_METHODS)[M]["params"]>;
export type OwnerResult<M extends OwnerMethod> = z.infer<(typeof OWNER_METHODS)[M]["result"]>;

/** What owner.sock sends without being asked. */
export const OWNER_NOTIFICATIONS = {
  "owner.attach.data": z.object({ attachId: z.string(), data: z.string() }),
  "owner.attach.end": z.object({ attachId: z.string(), reason: z.string() }),
} as const;

export function isOwnerMethod(method: string): method is OwnerMethod {
  return Object.hasOwn(OWNER_METHODS, method);
}
