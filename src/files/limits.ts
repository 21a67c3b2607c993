/** The bounds of listing, reading and shrinking. */

/** Entries looked at in one folder; past it the list is cut. A million names are read in about two seconds. */
export const MAX_SCANNED_ENTRIES = 1_000_000;

/** Entries taken from the system at once: large enough for few round trips, small enough to leave the loop free. */
export const SCAN_BATCH_ENTRIES = 4096;

/** Links followed by hand while a path that is not there is placed; the kernel's own bound. */
export const MAX_LINKS = 40;

/** What the binary test looks at: a NUL in it means binary, as git has it. */
export const SNIFF_BYTES = 8192;

/** More of the sniffed text than this that is no text at all means binary. */
export const MAX_NOISE_SHARE = 0.3;

/** An image file; a 100-megapixel camera's JPEG stays below. */
export const MAX_IMAGE_INPUT_BYTES = 32 * 1024 * 1024;

/** Decoded pixels: what phones and cameras take, and 160 MB when all of it is held. */
export const MAX_IMAGE_PIXELS = 40_000_000;

/** The longer side of what is sent: more than a phone's screen shows, so that there is something to zoom into. */
export const MAX_IMAGE_SIDE_PX = 2048;

/** Images in work at once, each in its own process. */
export const MAX_IMAGE_JOBS = 2;

/** Images that wait for their turn; one more is Unavailable. */
export const MAX_IMAGE_QUEUE = 16;

/** One job, the start of its process included. libvips itself stops after {@link IMAGE_PIPELINE_SECONDS}. */
export const IMAGE_JOB_MS = 20_000;
export const IMAGE_PIPELINE_SECONDS = 5;

/** A process without work ends after this long: it holds some 60 MB. */
export const IMAGE_IDLE_MS = 30_000;

/** Private memory of the process, held by the kernel: 40 megapixels twice over, and libvips. */
export const IMAGE_DATA_LIMIT_KIB = 1024 * 1024;

/** Resident memory at which the process is ended, and how often that is looked at. */
export const IMAGE_MAX_RSS_BYTES = 768 * 1024 * 1024;
export const IMAGE_RSS_POLL_MS = 100;

/** The heap of its JavaScript, which only moves buffers. */
export const IMAGE_HEAP_MIB = 64;
