/** The protocol versions this build speaks, newest first. */
export const PROTOCOLS: readonly number[] = [1];

/** The longest line either side accepts, in bytes without its newline. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;

/**
 * The most values (list items and object fields) a line from a client may hold. No request comes near it; without it a
 * line of 32 MiB of `[],[],…` costs the reader hundreds of megabytes and seconds of parsing.
 */
export const MAX_CLIENT_LINE_VALUES = 100_000;

/** The longest snapshot of a watch, in bytes of JSON; what doesn't fit is cut with a mark. */
export const MAX_SNAPSHOT_BYTES = 2 * 1024 * 1024;

/** Past either, the frames waiting for a slow client are replaced by one snapshot. */
export const MAX_PENDING_FRAMES = 100;
export const MAX_PENDING_BYTES = 8 * 1024 * 1024;

/** How many entries a `session.watch` holds when its request names no `tail`, and the most it may name. */
export const DEFAULT_TAIL = 200;
export const MAX_TAIL = 500;

/** The most bytes one `session.output` returns. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;

/** The longest text of one message, in characters (code points). */
export const MAX_TEXT_CHARACTERS = 4 * 1024 * 1024;
