import { arr, int, lit, nullable, obj, oneOf, type Static, str, union } from "@earendil-works/pi-schema";
import { MAX_OUTPUT_BYTES, MAX_TAIL, MAX_TEXT_CHARACTERS } from "./limits.ts";
import { QUEUE_MODES, SESSION_MODES, THINKING_LEVELS } from "./modes.ts";

/**
 * The fields that methods are made of. A field's `description` completes the sentence `"field" must be …`; it is what a
 * person reads when the field is wrong.
 */

export const SESSION = id("the id of a session");
export const ENTRY = id("the id of an entry");
export const SUBMISSION = id("the id of a submission");
export const REQUEST = id("the id of a request that waits for a person");
export const WATCH = id("the id of a watch");
/** Providers make up the ids of calls, some of them long. */
export const CALL = str({ minLength: 1, maxLength: 1000, description: "the id of a call" });

/** Only visible ASCII, so that two ids that are stored the same are the same. */
export const REQUEST_ID = str({
	pattern: "^[!-~]{1,200}$",
	description: "1 to 200 visible ASCII characters, a new value for each new message",
});

export const DIRECTORY = str({
	minLength: 1,
	maxLength: 4096,
	pattern: "^(/|~/|~$)[^\\0]*$",
	description: 'an absolute path, or one that starts with "~/", of at most 4,096 characters',
});

export const MODEL = str({
	maxLength: 500,
	pattern: "^[^/\\s]+/\\S+$",
	description: "provider/model, as models.list names it",
});

export const PROVIDER = str({
	maxLength: 100,
	pattern: "^[^/\\s]+$",
	description: "the id of a provider, as models.list names it",
});

/** A release, such as `0.10.2`. */
export const VERSION = str({
	maxLength: 100,
	pattern: "^\\d+\\.\\d+\\.\\d+",
	description: "a version such as 0.10.2",
});
/** The newest format of the store that an agent can read. */
export const STORE_FORMAT = wholeNumber(1, 1_000_000);
export const END_WHEN = oneOf(["idle", "now"], { description: '"idle" or "now"' });

export const TITLE = str({
	maxLength: 200,
	pattern: "\\S",
	description: "a text of 1 to 200 characters",
});

export const QUERY = str({ maxLength: 1000, description: "a text of at most 1,000 characters" });
export const SEARCH_QUERY = str({
	maxLength: 1000,
	pattern: "\\S",
	description: "a text of 1 to 1,000 characters",
});
export const ID_PREFIX = str({
	minLength: 1,
	maxLength: 200,
	description: "the beginning of a session's id",
});
export const CURSOR = str({
	minLength: 1,
	maxLength: 1000,
	description: "the cursor of the page before, unchanged",
});

const MESSAGE_TEXT = str({
	maxLength: MAX_TEXT_CHARACTERS,
	pattern: "\\S",
	description: `a text that isn't blank, of at most ${MAX_TEXT_CHARACTERS} characters`,
});

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

const CONTENT_PART = union([
	obj({ type: lit("text"), text: MESSAGE_TEXT }),
	obj({
		type: lit("image"),
		/** Base64. Whether it is whole (a length that four divides) is checked beside the schema. */
		data: str({ pattern: "^[A-Za-z0-9+/]+={0,2}$", description: "the bytes of an image in base64" }),
		mimeType: oneOf(IMAGE_TYPES, { description: `one of ${IMAGE_TYPES.join(", ")}` }),
	}),
]);
export type ContentPart = Static<typeof CONTENT_PART>;

/** What a person sends: a text, or texts and images in order. */
export const CONTENT = union([MESSAGE_TEXT, arr(CONTENT_PART, { minItems: 1, maxItems: 100 })], {
	description:
		'a text that isn\'t blank, or a list of 1 to 100 parts, each { "type": "text", "text" } or { "type": "image", "data", "mimeType" }',
});
export type Content = Static<typeof CONTENT>;

export const WHEN_BUSY = oneOf([...QUEUE_MODES, "reject"], {
	description: '"steer", "followUp" or "reject"',
});
export const QUEUE_MODE = oneOf(QUEUE_MODES, { description: '"steer" or "followUp"' });

export const NEW_MODEL = nullable(MODEL, {
	description: "provider/model, as models.list names it, or null for the default",
});
export const NEW_THINKING_LEVEL = nullable(oneOf(THINKING_LEVELS), {
	description: `one of ${THINKING_LEVELS.join(", ")}, or null for the default`,
});
export const NEW_TOOLS = nullable(
	arr(str({ minLength: 1, maxLength: 100 }), { maxItems: 200, uniqueItems: true }),
	{
		description: "a list of at most 200 different names of tools, or null for the default",
	},
);
export const MODE = oneOf(SESSION_MODES, { description: `one of ${SESSION_MODES.join(", ")}` });

export const INSTRUCTIONS = str({
	maxLength: 100_000,
	pattern: "\\S",
	description: "a text of 1 to 100,000 characters",
});
export const ANSWER_TEXT = str({
	maxLength: 100_000,
	pattern: "\\S",
	description: "a text of 1 to 100,000 characters",
});
export const CHOICE = str({ minLength: 1, maxLength: 200, description: "the id of one of the choices" });
export const KEY = str({
	pattern: "^\\S{1,10000}$",
	description: "the key as the provider shows it, without white space",
});

export const TAIL = wholeNumber(1, MAX_TAIL);
export const PAGE_LIMIT = wholeNumber(1, 200);
export const ENTRY_LIMIT = wholeNumber(1, 500);
export const LIST_LIMIT = wholeNumber(1, 1000);
export const OUTPUT_OFFSET = wholeNumber(0, Number.MAX_SAFE_INTEGER);
export const OUTPUT_LIMIT = wholeNumber(1, MAX_OUTPUT_BYTES);
/** The latest time a `Date` can hold is the bound. */
export const SINCE = int({
	minimum: 0,
	maximum: 8_640_000_000_000_000,
	description: "a time in milliseconds since 1970",
});

function id(description: string) {
	return str({ minLength: 1, maxLength: 200, description });
}

function wholeNumber(minimum: number, maximum: number) {
	return int({ minimum, maximum, description: `a whole number from ${minimum} to ${maximum}` });
}
