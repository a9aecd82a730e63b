import { SvelteSet } from "svelte/reactivity";
import type { Content, Params, ReconnectingClient } from "../../agent/protocol/index.ts";
import { ProtocolError } from "../../agent/protocol/index.ts";

/**
 * Messages on their way: typed, and not yet acknowledged. Each is stored here before it is sent and is sent again, with
 * its request id, when the page comes back, so that neither a reload nor an agent that is away loses or doubles one.
 */
export type OutgoingMessage =
	| { readonly method: "session.send"; readonly params: Params<"session.send"> }
	| { readonly method: "sessions.create"; readonly params: Params<"sessions.create"> };

type Result = { readonly session: string } | { readonly error: ProtocolError };

const PREFIX = "outlive.outgoing.";
const OWN = "outlive.own-messages";
const MOST_OWN = 200;

export function createOutgoing(
	client: ReconnectingClient,
	storage: Storage,
	/** Hears what became of a message that an earlier page had sent. */
	onResent: (message: OutgoingMessage, result: Result) => void,
) {
	const fromBefore = stored(storage);
	let messages = $state.raw<readonly OutgoingMessage[]>(fromBefore);
	const own = new SvelteSet<string>((storage.getItem(OWN) ?? "").split(" "));

	function begin(message: OutgoingMessage): void {
		messages = [...messages, message];
		try {
			storage.setItem(PREFIX + message.params.requestId, JSON.stringify(message));
		} catch {
			// Too many images for the browser's store; the message is still sent, it just can't outlive a reload.
		}
	}

	function end({ params }: OutgoingMessage): void {
		messages = messages.filter((each) => each.params.requestId !== params.requestId);
		storage.removeItem(PREFIX + params.requestId);
	}

	/** Another window of the same browser sent it too: "from elsewhere" is another program. */
	function remember(submission: string): void {
		own.add(submission);
		storage.setItem(OWN, [...own].slice(-MOST_OWN).join(" "));
	}

	async function deliver(message: OutgoingMessage): Promise<Result> {
		try {
			return { session: await request(message) };
		} catch (error) {
			if (error instanceof ProtocolError) return { error };
			throw error;
		} finally {
			end(message);
		}
	}

	async function request(message: OutgoingMessage): Promise<string> {
		if (message.method === "sessions.create") {
			const { session, submission } = await client.request("sessions.create", message.params);
			if (submission !== null) remember(submission);
			return session;
		}
		const { submission } = await client.request("session.send", message.params);
		remember(submission);
		return message.params.session;
	}

	for (const message of fromBefore) void deliver(message).then((result) => onResent(message, result));

	return {
		/** Those that wait for a session, oldest first. */
		of(session: string): readonly Params<"session.send">[] {
			return messages.flatMap((each) =>
				each.method === "session.send" && each.params.session === session ? [each.params] : [],
			);
		},
		/** Whether no window of this browser sent it; not told while one of this session's is on its way. */
		isForeign(session: string, submission: string): boolean {
			const isSending = messages.some(
				(each) => each.method === "session.send" && each.params.session === session,
			);
			return !isSending && !own.has(submission);
		},
		/** @returns the session, or why the message was refused; then nothing was stored by the agent */
		send(message: OutgoingMessage): Promise<Result> {
			begin(message);
			return deliver(message);
		},
	};
}

export type Outgoing = ReturnType<typeof createOutgoing>;

/** The text of what is sent. */
export function contentText(content: Content): string {
	if (typeof content === "string") return content;
	return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function stored(storage: Storage): readonly OutgoingMessage[] {
	const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "");
	return keys
		.filter((key) => key.startsWith(PREFIX))
		.flatMap((key) => {
			try {
				return [JSON.parse(storage.getItem(key) ?? "") as OutgoingMessage];
			} catch {
				// Not written by this window.
				return [];
			}
		});
}
