import type { JsonValue } from "./json.ts";

/** What the command line ends with (0 is success). */
export type ExitCode = 1 | 2 | 3 | 4 | 5;

const FAILED = 1;
const WRONG_USAGE = 2;
const UNREACHABLE = 3;
const NOT_FOUND = 4;
const REFUSED = 5;

type ErrorKind = {
	/** Who states it: the agent in a line, or the client's own side, about reaching the agent. */
	readonly from: "agent" | "client";
	readonly exit: ExitCode;
	/** Whether the agent closes the connection after it. */
	readonly closes?: true;
	/** Said when nothing more precise is known. */
	readonly sentence: string;
};

/** Every error a client of the agent can meet. Codes are stable: scripts rely on them. */
export const ERRORS = {
	// A request was understood and is refused.
	invalid_params: {
		from: "agent",
		exit: WRONG_USAGE,
		sentence: "The request has a missing or wrong field; correct it and send it again.",
	},
	unknown_method: {
		from: "agent",
		exit: UNREACHABLE,
		sentence: "This agent doesn't know that method; update the agent, or check the name.",
	},
	not_yet: {
		from: "agent",
		exit: REFUSED,
		sentence: "This version of the agent can't do that yet; a later one will.",
	},
	not_found: {
		from: "agent",
		exit: NOT_FOUND,
		sentence: "There is nothing with that id; list what there is and try again.",
	},
	folder_missing: {
		from: "agent",
		exit: WRONG_USAGE,
		sentence: "That folder doesn't exist or isn't a folder; check the path.",
	},
	folder_not_allowed: {
		from: "agent",
		exit: REFUSED,
		sentence: "Sessions may not run in that folder yet; allow it with: outlive allow DIR",
	},
	busy: {
		from: "agent",
		exit: REFUSED,
		sentence: "The session is busy; wait for it, or send the message as a follow-up.",
	},
	model_unavailable: {
		from: "agent",
		exit: REFUSED,
		sentence: "That model can't answer now; see why with: outlive models",
	},
	already_answered: {
		from: "agent",
		exit: REFUSED,
		sentence: "This was answered already; the first answer counts.",
	},
	already_placed: {
		from: "agent",
		exit: REFUSED,
		sentence: "The model already has this message, so it can't be changed; send another, or stop the run.",
	},
	request_id_reused: {
		from: "agent",
		exit: WRONG_USAGE,
		sentence: "That request id was already used for something else; use a new one.",
	},
	compaction_failed: {
		from: "agent",
		exit: FAILED,
		sentence: "No summary could be made; the conversation is as it was. Try again, or choose another model.",
	},
	storage_full: {
		from: "agent",
		exit: REFUSED,
		sentence: "The disk is full, so nothing new is stored; free some space and send it again.",
	},
	key_not_kept: {
		from: "agent",
		exit: REFUSED,
		sentence:
			"The key can't be kept; see that your configuration folder can be written, then enter it again.",
	},
	key_needs_file: {
		from: "agent",
		exit: REFUSED,
		sentence:
			"No keychain or secret service here keeps the key; agree to a file that only you can read, and enter it again.",
	},
	shutting_down: {
		from: "agent",
		exit: UNREACHABLE,
		sentence: "The agent is ending and takes nothing new; connect again in a moment.",
	},
	handover_refused: {
		from: "agent",
		exit: REFUSED,
		sentence: "The agent that runs can't be replaced by that one, which is older; update that one.",
	},
	internal: {
		from: "agent",
		exit: FAILED,
		sentence: "Something broke inside the agent; its log says what. Trying again is safe.",
	},

	// A line was not understood, or came at the wrong moment.
	bad_message: {
		from: "agent",
		exit: WRONG_USAGE,
		sentence: "The line is JSON but no message of this protocol; send a hello or a request.",
	},
	unexpected_message: {
		from: "agent",
		exit: WRONG_USAGE,
		sentence: "That message can't come here; a client sends one hello, then requests.",
	},
	duplicate_hello: {
		from: "agent",
		exit: WRONG_USAGE,
		sentence: "This connection has said hello already; go on with requests.",
	},
	duplicate_request: {
		from: "agent",
		exit: WRONG_USAGE,
		sentence: "A request with this id has no response yet; give each request an id of its own.",
	},
	bad_line: {
		from: "agent",
		exit: WRONG_USAGE,
		closes: true,
		sentence: "The line is not one JSON object in UTF-8; connect again and send JSON lines.",
	},
	line_too_long: {
		from: "agent",
		exit: WRONG_USAGE,
		closes: true,
		sentence: "The line is longer than 32 MiB; connect again and send less at once.",
	},
	protocol_mismatch: {
		from: "agent",
		exit: UNREACHABLE,
		closes: true,
		sentence: "The agent and this client share no version of the protocol; update the older one.",
	},

	// The agent couldn't be reached, or was lost.
	not_running: {
		from: "client",
		exit: UNREACHABLE,
		sentence: "No agent is running; start it with: outlive start",
	},
	no_answer: {
		from: "client",
		exit: UNREACHABLE,
		sentence: "The agent does not answer. It may be busy or frozen; nothing was started or ended.",
	},
	no_permission: {
		from: "client",
		exit: UNREACHABLE,
		sentence: "The agent's socket belongs to someone else; use your own data directory (OUTLIVE_DATA_DIR).",
	},
	socket_path_too_long: {
		from: "client",
		exit: UNREACHABLE,
		sentence: "The path of the agent's socket is too long; set OUTLIVE_DATA_DIR to a shorter one.",
	},
	cannot_connect: {
		from: "client",
		exit: UNREACHABLE,
		sentence: "The agent's socket can't be opened; look at the data directory with: outlive doctor",
	},
	connection_lost: {
		from: "client",
		exit: UNREACHABLE,
		sentence: "The connection to the agent was lost; connect again to see how things stand.",
	},
	watch_lost: {
		from: "client",
		exit: FAILED,
		sentence: "The live view could not be followed; open it again.",
	},
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;
/** Codes an agent sends. */
export type AgentErrorCode = {
	[C in ErrorCode]: (typeof ERRORS)[C]["from"] extends "agent" ? C : never;
}[ErrorCode];

/** An error as it stands in a line. A newer agent may use codes that this build doesn't know. */
export type WireError = { code: string; message: string; data?: JsonValue };

/** Whether this build knows the code. */
export function isErrorCode(code: string): code is ErrorCode {
	return Object.hasOwn(ERRORS, code);
}

/** An error for a line; without a message it says the code's own sentence. */
export function wireError(code: ErrorCode, message?: string, data?: JsonValue): WireError {
	const error: WireError = { code, message: message ?? ERRORS[code].sentence };
	return data === undefined ? error : { ...error, data };
}

/** What the command line ends with for a code; 1 for a code of a newer agent. */
export function exitCodeOf(code: string): ExitCode {
	return isErrorCode(code) ? ERRORS[code].exit : FAILED;
}

/** Whether the agent closes the connection after stating this. */
export function closesConnection(code: string): boolean {
	return isErrorCode(code) && "closes" in ERRORS[code];
}

/** What a client's calls reject with: a stable code, a sentence for a person, and data where the code has some. */
export class ProtocolError extends Error {
	override readonly name = "ProtocolError";
	readonly code: string;
	readonly data: JsonValue | undefined;

	constructor(error: WireError, options?: { readonly cause?: unknown }) {
		super(error.message, options);
		this.code = error.code;
		this.data = error.data;
	}
}

/** A `ProtocolError` of a known code; without a message it says the code's own sentence. */
export function protocolError(
	code: ErrorCode,
	message?: string,
	options: { readonly data?: JsonValue; readonly cause?: unknown } = {},
): ProtocolError {
	return new ProtocolError(
		wireError(code, message, options.data),
		options.cause === undefined ? undefined : { cause: options.cause },
	);
}
