import type { Op } from "@earendil-works/chord/delta";
import type { WireError } from "./errors.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/** A client's first line. Fields this build doesn't know are ignored in it, so that a newer client can still ask. */
export type Hello = {
	type: "hello";
	/** The protocol versions it speaks. */
	protocols: number[];
	/** Its name and version, for the log: `outlive-cli 0.1.0`. */
	client: string;
};

export type Request = { type: "request"; id: string; method: string; params: JsonObject };

export type ClientMessage = Hello | Request;

/** The agent's answer to a hello. */
export type Welcome = {
	type: "welcome";
	/** The version both speak from here on. */
	protocol: number;
	/** The agent's version. */
	agent: string;
	pid: number;
	/** In ms since the epoch. */
	startedAt: number;
	/** The methods this agent does something for. */
	capabilities: string[];
};

/** Each request gets exactly one, in any order. */
export type Response =
	| { type: "response"; id: string; result: JsonValue }
	| { type: "response"; id: string; error: WireError };

/**
 * What a watch says: first, with `seq` 0, its whole value; then, with `seq` one higher each time, operations on the
 * value before or a whole value in its place. After an `end` nothing more comes.
 */
export type WatchEvent = { type: "event"; watch: string; seq: number } & (
	| { snapshot: JsonValue }
	| { ops: readonly Op[] }
	| { end: WireError }
);

/** A problem with the connection or a line, not with one request. */
export type ErrorMessage = { type: "error" } & WireError;

export type AgentMessage = Welcome | Response | WatchEvent | ErrorMessage;

export type Message = ClientMessage | AgentMessage;
