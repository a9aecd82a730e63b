import { type ErrorCode, type WireError, wireError } from "./errors.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import type { ClientMessage } from "./messages.ts";

export type ReadClientMessage =
	| { readonly ok: true; readonly message: ClientMessage }
	/** With an `id` the error goes into the response to that request, else into an error line. */
	| { readonly ok: false; readonly id?: string; readonly error: WireError };

const MOST_CHARACTERS = 200;
const MOST_PROTOCOLS = 100;
const REQUEST_FIELDS = ["type", "id", "method", "params"];

/**
 * Reads a line from a client, strictly. A request without `params` gets an empty object. Whether the message may come
 * now (a second hello, an id in use) is for the connection to say.
 *
 * @returns the message; or `bad_message`, `unexpected_message` for a line only an agent sends, and `invalid_params` with
 * the request's id when that much could be read
 */
export function readClientMessage(line: JsonObject): ReadClientMessage {
	switch (line.type) {
		case "hello":
			return readHello(line);
		case "request":
			return readRequest(line);
		case "welcome":
		case "response":
		case "event":
		case "error":
			return refuse(
				"unexpected_message",
				`Only the agent sends a line of type "${line.type}"; send a hello or requests.`,
			);
		default:
			return refuse("bad_message", 'A line needs a "type" that is "hello" or "request".');
	}
}

function readHello({ protocols, client }: JsonObject): ReadClientMessage {
	if (!isProtocolList(protocols) || !isShortText(client))
		return refuse(
			"bad_message",
			'A hello needs "protocols", a list of whole numbers from 1, and "client", a name of 1 to 200 characters.',
		);
	return { ok: true, message: { type: "hello", protocols, client } };
}

function readRequest(line: JsonObject): ReadClientMessage {
	const { id, method, params = {} } = line;
	if (!isShortText(id))
		return refuse("bad_message", 'A request needs an "id", a string of 1 to 200 characters.');
	if (typeof method !== "string")
		return refuseRequest(id, 'A request needs a "method", the name of one as a string.');
	if (!isJsonObject(params)) return refuseRequest(id, 'The "params" of a request must be a JSON object.');
	if (Object.keys(line).some((key) => !REQUEST_FIELDS.includes(key)))
		return refuseRequest(id, 'A request has only the fields "type", "id", "method" and "params".');
	return { ok: true, message: { type: "request", id, method, params } };
}

function isShortText(value: unknown): value is string {
	return typeof value === "string" && value.length > 0 && value.length <= MOST_CHARACTERS;
}

function isProtocolList(value: unknown): value is number[] {
	return (
		Array.isArray(value) &&
		value.length > 0 &&
		value.length <= MOST_PROTOCOLS &&
		value.every((each) => Number.isInteger(each) && each > 0)
	);
}

function refuse(code: ErrorCode, message: string): ReadClientMessage {
	return { ok: false, error: wireError(code, message) };
}

function refuseRequest(id: string, message: string): ReadClientMessage {
	return { ok: false, id, error: wireError("invalid_params", message) };
}
