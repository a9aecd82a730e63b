import type { JsonValue, Spend } from "../../agent/protocol/index.ts";
import { shortDuration } from "../words/time.ts";
import type { CallView } from "./calls.ts";

/** What a call that has a subagent says of it. */
export type Subagent = {
	/** Its conversation, which is watched like a session. */
	readonly conversation: string;
	readonly description: string;
	readonly spend: Spend | undefined;
	/** It goes on beside the run that started it. */
	readonly background: boolean;
	/** In US dollars, and until when, in ms since the epoch; undefined where nothing is said. */
	readonly mayCost: number | undefined;
	readonly until: number | undefined;
};

/** The subagent of a call; undefined for every other call, and before it has one. */
export function subagentOf(call: CallView): Subagent | undefined {
	const said =
		"result" in call.state ? call.state.result : "live" in call.state ? call.state.live : undefined;
	if (said?.conversation === undefined) return undefined;
	const details = fields(said.details);
	const { description } = call.arguments;
	return {
		conversation: said.conversation,
		description: typeof description === "string" ? description : call.name,
		spend: said.spend,
		background: details.background === true,
		mayCost: typeof details.mayCost === "number" ? details.mayCost : undefined,
		until: typeof details.until === "number" ? details.until : undefined,
	};
}

/** What it has cost, in few words; empty when it has cost nothing. */
export function costWords(spend: Spend | undefined): string {
	if (spend === undefined || spend.cost <= 0) return "";
	const amount = spend.cost < 0.01 ? spend.cost.toPrecision(1) : spend.cost.toFixed(2);
	return `${spend.estimated ? "≈ " : ""}$${amount}`;
}

/** `May spend $0.44 more and 9 min`: what is left of its budget. */
export function allowanceWords({ mayCost, until, spend }: Subagent, now: number): string {
	if (mayCost === undefined || until === undefined) return "";
	const left = Math.max(0, mayCost - (spend?.cost ?? 0));
	return `May spend $${left.toFixed(2)} more and ${shortDuration(until - now)}`;
}

function fields(value: JsonValue | undefined): { readonly [key: string]: JsonValue | undefined } {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
