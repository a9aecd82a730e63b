import type { Context } from "@earendil-works/chord";
import { type ToolCall, validateToolArguments } from "@earendil-works/pi-ai";
import { copyLooseJson } from "../session/strict-json.ts";
import type { JsonObject } from "../types/json.ts";
import type { ToolRegistration } from "../types/tools.ts";
import type { ToolRuntime } from "./runtime-types.ts";

export type Decision =
	| { readonly kind: "run"; readonly arguments: JsonObject }
	| { readonly kind: "refuse"; readonly code: "invalid_arguments" | "blocked"; readonly message: string };

/** What the call may run with: repaired and validated arguments, after the hooks have had their say. */
export async function decideCall(
	tool: ToolRegistration,
	call: ToolCall,
	runtime: ToolRuntime,
	context: Context,
): Promise<Decision> {
	const first = repaired(tool, call);
	if (first.kind === "refuse") return first;
	let args = first.arguments;
	let block: string | undefined;
	await runtime.hooks.each("beforeTool", async (handler) => {
		if (block !== undefined) return;
		try {
			const asked = { ...call, arguments: args as ToolCall["arguments"] };
			const decision = await handler(asked, runtime, context);
			if (decision === undefined || decision === null) return;
			if (decision.block !== undefined) block = decision.block;
			else if (decision.arguments !== undefined) args = copyLooseJson(decision.arguments);
		} catch (error) {
			// A guard that breaks must not let the call through.
			if (runtime.signal.aborted) throw error;
			block = error instanceof Error ? error.message : String(error);
		}
	});
	if (block !== undefined) return { kind: "refuse", code: "blocked", message: block };
	return args === first.arguments ? first : validated(tool, call, args);
}

/** The arguments as the tool can read them, when what the model sent can be put right. */
function repaired(tool: ToolRegistration, call: ToolCall): Decision {
	if (tool.prepareArguments === undefined || call.argumentsError !== undefined)
		return validated(tool, call, call.arguments);
	let repairedArguments: unknown;
	try {
		repairedArguments = tool.prepareArguments(structuredClone(call.arguments));
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		return { kind: "refuse", code: "invalid_arguments", message };
	}
	return validated(tool, call, repairedArguments);
}

function validated(tool: ToolRegistration, call: ToolCall, args: unknown): Decision {
	try {
		const value: unknown = validateToolArguments(tool, { ...call, arguments: args as ToolCall["arguments"] });
		return { kind: "run", arguments: copyLooseJson(value) as JsonObject };
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		return { kind: "refuse", code: "invalid_arguments", message };
	}
}

/** The arguments as run and what was repaired, when the model sent something else. */
export function repairOf(
	tool: ToolRegistration | undefined,
	call: ToolCall,
	args: JsonObject,
): { arguments?: JsonObject; repairs?: readonly string[] } {
	if (sameArguments(call.arguments as JsonObject, args)) return {};
	const repairs: string[] = [];
	let prepared: unknown = call.arguments;
	try {
		prepared = tool?.prepareArguments?.(structuredClone(call.arguments), (repair) => repairs.push(repair));
	} catch {
		// It ran with these arguments all the same; only how they came about can't be said.
	}
	const changed = changedKeys((prepared ?? call.arguments) as JsonObject, args);
	if (changed.length > 0) repairs.push(`${changed.join(", ")} changed to what the tool takes`);
	return { arguments: args, repairs };
}

/** Null means left out: strict decoding leaves a model no other way to say it. */
function sameArguments(sent: JsonObject, ran: JsonObject): boolean {
	const given = Object.entries(sent).filter(([, value]) => value !== null);
	return JSON.stringify(Object.fromEntries(given)) === JSON.stringify(ran);
}

function changedKeys(before: JsonObject, after: JsonObject): string[] {
	return Object.keys(after).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}
