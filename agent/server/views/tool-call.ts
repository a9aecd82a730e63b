import type { ToolCall as ModelToolCall } from "@earendil-works/pi-ai";
import type { LoggedCall } from "../../models/border/tool-names.ts";
import type { JsonObject, JsonValue, ToolCall } from "../../protocol/index.ts";
import { jsonBytes } from "./sizes.ts";

const REPAIR_NOTE = "What the model sent was changed before the call ran.";
const MOST_REPAIRS = 20;
const SHORTEST_TEXT = 64;

/**
 * A call as the wire shows it.
 *
 * @param most the most bytes of JSON that its arguments may take; longer ones have their long texts shortened
 */
export function wireToolCall(call: ModelToolCall, most: number): ToolCall {
	const { sent } = call as LoggedCall;
	return {
		id: call.id,
		name: call.name,
		...shortened(call.arguments as JsonObject, most),
		...(sent === undefined || sent.name === call.name ? {} : { calledAs: sent.name }),
	};
}

/** The call with the arguments it ran with in the place of those the model sent. */
export function withRepair(
	call: ToolCall,
	{ ranWith, repairs }: { readonly ranWith: JsonObject; readonly repairs: readonly string[] },
	most: number,
): ToolCall {
	const { cut: _, ...rest } = call;
	const note = repairs.length === 0 ? REPAIR_NOTE : `Repaired: ${repairs.slice(0, MOST_REPAIRS).join("; ")}.`;
	return { ...rest, ...shortened(ranWith, most), repair: { note, sent: call.arguments } };
}

function shortened(args: JsonObject, most: number): Pick<ToolCall, "arguments" | "cut"> {
	if (jsonBytes(args) <= most) return { arguments: args };
	let shown = 0;
	let total = 0;
	const shorten = (value: JsonValue, longest: number): JsonValue => {
		if (typeof value === "string") {
			const kept = value.length > longest ? value.slice(0, longest).toWellFormed() : value;
			shown += kept.length;
			total += value.length;
			return kept;
		}
		if (Array.isArray(value)) return value.map((item) => shorten(item, longest));
		if (typeof value !== "object" || value === null) return value;
		return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item, longest)]));
	};
	for (let longest = Math.floor(most / 2); longest >= SHORTEST_TEXT; longest = Math.floor(longest / 4)) {
		shown = 0;
		total = 0;
		const shorter = shorten(args, longest) as JsonObject;
		if (jsonBytes(shorter) <= most) return { arguments: shorter, cut: { shown, total } };
	}
	// Very many short values: then all of them are left out.
	return { arguments: {}, cut: { shown: 0, total } };
}
