/**
 * The bounds that both ends of a link keep. Names carry the unit; the seed's
 * own limits (MAX_READ_BYTES and its like) stand beside the methods in rpc.ts.
 */

/** A whole WebSocket message: a larger one closes with 1009. */
export const MAX_FRAME_BYTES = 1_048_576;

/** A message before the client proved its key; handshake messages take about 500 bytes. */
export const MAX_UNAUTHENTICATED_BYTES = 1024;

/**
 * A record's padded plaintext. An attachment of 560 KiB is 764,588 characters
 * of base64; sealed, and in base64 once more under a text carrier, it stays
 * just under MAX_FRAME_BYTES.
 */
export const MAX_PLAINTEXT_BYTES = 785_408;

/** The length prefix of a record's JSON. */
export const RECORD_LENGTH_BYTES = 4;

/** The JSON of one message: what a record's plaintext leaves beside its length. */
export const MAX_MESSAGE_BYTES = MAX_PLAINTEXT_BYTES - RECORD_LENGTH_BYTES;

/** A request id comes back in its answer, which must still fit. */
export const MAX_REQUEST_ID_BYTES = 256;

/** Nesting of a message's JSON; JSON.stringify overflows the stack near 5,000. */
export const MAX_JSON_DEPTH = 64;

/** A method's name in a request; the longest we have is 20. */
export const MAX_METHOD_CHARS = 100;

/** Requests of one connection that are not answered yet. */
export const MAX_IN_FLIGHT = 64;

/** Watches of one connection. */
export const MAX_WATCHES = 64;

/** Parked chat.wait and terminal.wait of one device, over all its links. */
export const MAX_WAITS_PER_DEVICE = 128;

/** A request id that a device may send again without a second effect. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** The version that link.ready names; the seed's. */
export const PROTOCOL_VERSION = "0.2.0";
