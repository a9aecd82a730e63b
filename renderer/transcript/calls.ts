import type { LiveTool, ToolCall, ToolResultEntry } from "../../agent/protocol/index.ts";

/** A call and what has become of it. */
export type CallView = {
	readonly id: string;
	readonly name: string;
	readonly arguments: ToolCall["arguments"];
	readonly repair?: ToolCall["repair"];
	/** The name the model knows the tool by, where that is another. */
	readonly calledAs?: string;
	/** When the model called, in ms since the epoch; 0 where that isn't known. */
	readonly calledAt: number;
	readonly state: CallState;
};

export type CallState =
	/** The model is still writing it. */
	| { readonly kind: "forming" }
	| { readonly kind: "waiting" }
	| { readonly kind: "running"; readonly live: LiveTool }
	/** Ended; its result is not in the transcript yet. */
	| { readonly kind: "ended"; readonly live: LiveTool }
	| { readonly kind: "done" | "failed" | "interrupted"; readonly result: ToolResultEntry }
	/** Nothing is known of a result: it lies outside of what was loaded, or its run was cut off. */
	| { readonly kind: "unknown" };

/** Tools that only look; their calls fold into one line. */
const LOOKING = new Set(["read", "grep", "find", "ls"]);

export function isLook(name: string): boolean {
	return LOOKING.has(name);
}

/** @param isGoingOn whether the run that made the call still goes on, so that a result may come */
export function callView(
	call: ToolCall,
	calledAt: number,
	result: ToolResultEntry | undefined,
	live: LiveTool | undefined,
	isGoingOn: boolean,
): CallView {
	return {
		id: call.id,
		name: call.name,
		arguments: call.arguments,
		calledAt,
		...(call.repair === undefined ? {} : { repair: call.repair }),
		...(call.calledAs === undefined ? {} : { calledAs: call.calledAs }),
		state: stateOf(result, live, isGoingOn),
	};
}

/** A result whose call is not among the loaded entries. */
export function resultAlone(result: ToolResultEntry): CallView {
	return {
		id: result.toolCallId,
		name: result.toolName,
		arguments: {},
		calledAt: 0,
		state: stateOf(result, undefined, false),
	};
}

function stateOf(
	result: ToolResultEntry | undefined,
	live: LiveTool | undefined,
	isGoingOn: boolean,
): CallState {
	if (result !== undefined) {
		if (result.interrupted === true) return { kind: "interrupted", result };
		return { kind: result.isError ? "failed" : "done", result };
	}
	if (live?.status === "running") return { kind: "running", live };
	if (live?.status === "done") return { kind: "ended", live };
	return { kind: isGoingOn ? "waiting" : "unknown" };
}

/** The result's entry, once there is one. */
export function resultOf(call: CallView): ToolResultEntry | undefined {
	return "result" in call.state ? call.state.result : undefined;
}
