/** The client for programs and pages. The Unix socket stands apart in local.ts, which needs Node. */
export { applyChatUpdate, applyTerminalUpdate, type ChatState } from "./apply.js";
export type { CallOptions } from "./calls.js";
export { type ClientOptions, NexusClient, type Notification } from "./client.js";
export {
  connectDevice,
  type DeviceOptions,
  type DeviceRecord,
  DeviceRecordSchema,
  rpcUrl,
} from "./device-record.js";
export { ClientError, type ClientErrorKind } from "./errors.js";
export {
  type Pairing,
  PairingError,
  type PairingErrorKind,
  type PairOptions,
  pairDevice,
} from "./pairing.js";
export type { SocketConstructor, SocketLike } from "./socket.js";
export type { ClientState } from "./state.js";
export { type Connect, ConnectError, type Transport, type TransportEnd } from "./transport.js";
export type { WatchHandle, WatchHandlers } from "./watch.js";
export type { SessionsState } from "./watches.js";
