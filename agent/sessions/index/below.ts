import type { ConversationId, ConversationRecord } from "../../durable/index.ts";
import { type Below, isAtWork, NOTHING_BELOW, type Work } from "./work.ts";

/**
 * What goes on in the conversations that sessions own, their subagents' at every depth. Kept of each is its owner, and of
 * those at work what they do.
 */
export function createBelow() {
	const owners = new Map<ConversationId, ConversationId>();
	const sessions = new Map<ConversationId, Map<ConversationId, Work>>();

	/** The conversation at the top of those that own this one; undefined for one that nobody owns. */
	function topOf(id: ConversationId): ConversationId | undefined {
		let top = owners.get(id);
		for (let above = top; above !== undefined; above = owners.get(above)) top = above;
		return top;
	}

	return {
		topOf,
		/** Takes note of whose these conversations are. */
		learn(conversations: readonly Pick<ConversationRecord, "id" | "owner">[]): void {
			for (const { id, owner } of conversations)
				if (owner !== undefined) owners.set(id, owner.conversationId);
		},
		of: (session: ConversationId): Below => sessions.get(session) ?? NOTHING_BELOW,
		/** Replaces what goes on in an owned conversation. Returns the conversation at the top. */
		set(id: ConversationId, work: Work): ConversationId | undefined {
			const top = topOf(id);
			if (top === undefined) return undefined;
			const works = sessions.get(top) ?? new Map<ConversationId, Work>();
			if (isAtWork(work)) works.set(id, work);
			else works.delete(id);
			if (works.size === 0) sessions.delete(top);
			else sessions.set(top, works);
			return top;
		},
	};
}
