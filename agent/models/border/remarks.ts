import type { AssistantMessage, AssistantMessageDiagnostic, Message } from "@earendil-works/pi-ai";

/**
 * What was left out of a request because the provider refused it; it stands with the answer, so that no later request
 * sends it again, whichever process makes it.
 */
export type LeftOut =
	/** The thinking before that answer. */
	| { readonly kind: "thinking" }
	/** These images, by the digest of their data. */
	| { readonly kind: "images"; readonly digests: readonly string[] };

const TYPE = "outlive.left-out";

/** The answer with a mark of what had to be left out of its request, and the provider's own words for why. */
export function withRemark(message: AssistantMessage, leftOut: LeftOut, refusal: string): AssistantMessage {
	const diagnostic: AssistantMessageDiagnostic = {
		type: TYPE,
		timestamp: message.timestamp,
		details:
			leftOut.kind === "thinking"
				? { leftOut: "thinking", refusal }
				: { leftOut: "images", digests: [...leftOut.digests], refusal },
	};
	return { ...message, diagnostics: [...(message.diagnostics ?? []), diagnostic] };
}

/** What was left out of the requests of a message, in order. */
export function leftOutOf(message: Message): readonly LeftOut[] {
	if (message.role !== "assistant") return [];
	return (message.diagnostics ?? []).flatMap(({ type, details }): LeftOut[] => {
		if (type !== TYPE) return [];
		if (details?.leftOut === "thinking") return [{ kind: "thinking" }];
		const digests = Array.isArray(details?.digests) ? details.digests : [];
		return [{ kind: "images", digests: digests.filter((each): each is string => typeof each === "string") }];
	});
}
