import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the next request is answered with. */
export type ScriptedAnswer = {
	readonly thinking?: string;
	readonly text?: string;
	/** Calls after the text. `json` replaces the arguments' text as it is sent. */
	readonly calls?: readonly {
		readonly name: string;
		readonly input?: object;
		readonly json?: string;
	}[];
	readonly stop?: string;
	/** What goes wrong after `after` deltas; 2 unless given. */
	readonly fault?: "cut" | "end" | "hang" | "overloaded" | "again";
	readonly after?: number;
	/** Answers with this status and an error in place of a message. */
	readonly status?: number;
	readonly error?: { readonly type: string; readonly message: string };
	readonly headers?: Readonly<Record<string, string>>;
	/** Drops the connection before any answer. */
	readonly drop?: boolean;
	/** Never answers. */
	readonly silent?: boolean;
};

export type LoggedRequest = {
	readonly model: string;
	readonly messages: readonly { readonly role: string; readonly content: string | readonly ApiBlock[] }[];
	readonly system?: unknown;
	readonly tools?: readonly { readonly name: string }[];
	readonly thinking?: { readonly type: string };
	readonly output_config?: { readonly effort?: string };
	/** The session that the CLI names: one per process. */
	readonly process: string | undefined;
};

export type ApiBlock = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A Messages API of our own on this machine: it answers what a test scripts, in turn, and keeps what it was sent. */
export type MessagesApi = {
	readonly url: string;
	readonly requests: readonly LoggedRequest[];
	/** Answers for the next requests, in place of those that are left; one without an answer gets a short text. */
	answer(...answers: readonly ScriptedAnswer[]): void;
	close(): Promise<void>;
};

const USAGE = {
	input_tokens: 100,
	cache_creation_input_tokens: 20,
	cache_read_input_tokens: 50,
	output_tokens: 1,
};

export async function startMessagesApi(): Promise<MessagesApi> {
	const requests: LoggedRequest[] = [];
	const answers: ScriptedAnswer[] = [];
	const server = createServer((request, response) => {
		void readJson(request).then((body) => {
			if (request.method !== "POST" || !/^\/v1\/messages(\?|$)/.test(request.url ?? "")) {
				response.writeHead(request.method === "HEAD" ? 200 : 404).end();
				return;
			}
			const session = request.headers["x-claude-code-session-id"];
			requests.push({
				...(body as LoggedRequest),
				process: typeof session === "string" ? session : undefined,
			});
			respond(answers.shift() ?? { text: "Nothing was scripted." }, body as LoggedRequest, response);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		requests,
		answer: (...next) => void answers.splice(0, answers.length, ...next),
		close() {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}

async function readJson(request: IncomingMessage): Promise<unknown> {
	const parts: Buffer[] = [];
	for await (const part of request) parts.push(part);
	try {
		return JSON.parse(Buffer.concat(parts).toString("utf8"));
	} catch {
		// A request without a body.
		return {};
	}
}

function respond(answer: ScriptedAnswer, request: LoggedRequest, response: ServerResponse): void {
	if (answer.drop) response.socket?.destroy();
	if (answer.drop || answer.silent) return;
	if (answer.status !== undefined) {
		const error = answer.error ?? { type: "api_error", message: "scripted" };
		response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
		response.end(JSON.stringify({ type: "error", error }));
		return;
	}
	response.writeHead(200, { "content-type": "text/event-stream", ...answer.headers });
	const send = (type: string, data: object) =>
		response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
	const start = () =>
		send("message_start", {
			message: {
				id: `msg_${randomUUID().slice(0, 8)}`,
				type: "message",
				role: "assistant",
				model: request.model,
				content: [],
				stop_reason: null,
				stop_sequence: null,
				usage: USAGE,
			},
		});
	start();
	let deltas = 0;
	for (const [index, block] of blocksOf(answer).entries()) {
		send("content_block_start", { index, content_block: block.start });
		for (const delta of block.deltas) {
			send("content_block_delta", { index, delta });
			deltas++;
			if (answer.fault === undefined || deltas !== (answer.after ?? 2)) continue;
			fail(answer.fault, response, send, start);
			return;
		}
		send("content_block_stop", { index });
	}
	const stop_reason = answer.stop ?? ((answer.calls ?? []).length > 0 ? "tool_use" : "end_turn");
	send("message_delta", {
		delta: { stop_reason, stop_sequence: null },
		usage: { ...USAGE, output_tokens: 12 },
	});
	send("message_stop", {});
	response.end();
}

function fail(
	fault: NonNullable<ScriptedAnswer["fault"]>,
	response: ServerResponse,
	send: (type: string, data: object) => unknown,
	start: () => unknown,
): void {
	switch (fault) {
		case "cut":
			// What was written goes out first.
			response.write("", () => setTimeout(() => response.socket?.destroy(), 50));
			return;
		case "end":
			response.end();
			return;
		case "hang":
			return;
		case "overloaded":
			send("error", { error: { type: "overloaded_error", message: "Overloaded" } });
			response.end();
			return;
		case "again":
			start();
			return;
	}
}

type Block = { readonly start: object; readonly deltas: readonly object[] };

function blocksOf({ thinking, text, calls = [] }: ScriptedAnswer): Block[] {
	const blocks: Block[] = [];
	if (thinking !== undefined) {
		const deltas = pieces(thinking).map((piece) => ({ type: "thinking_delta", thinking: piece }));
		const signature = { type: "signature_delta", signature: `signed-${thinking.length}` };
		blocks.push({ start: { type: "thinking", thinking: "", signature: "" }, deltas: [...deltas, signature] });
	}
	if (text !== undefined && text !== "") {
		const deltas = pieces(text).map((piece) => ({ type: "text_delta", text: piece }));
		blocks.push({ start: { type: "text", text: "" }, deltas });
	}
	for (const { name, input, json } of calls) {
		const start = { type: "tool_use", id: `toolu_${randomUUID().slice(0, 8)}`, name, input: {} };
		const deltas = pieces(json ?? JSON.stringify(input ?? {}));
		blocks.push({
			start,
			deltas: deltas.map((partial_json) => ({ type: "input_json_delta", partial_json })),
		});
	}
	return blocks;
}

/** In pieces of ten characters, none of which ends inside one. */
function pieces(text: string): string[] {
	return [...text].reduce<string[]>((all, character, index) => {
		if (index % 10 === 0) all.push("");
		all[all.length - 1] += character;
		return all;
	}, []);
}
