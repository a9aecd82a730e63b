import type { JsonObject, JsonValue } from "../../protocol/index.ts";
import { printableLine } from "../output/printable.ts";

const MOST = 200;
/** The argument that tells most about a call, for the tools there are. */
const TELLING = ["path", "pattern", "query", "question", "task", "prompt"];

/** A call on one line: a command as a shell would have it, anything else by its name and what it is about. */
export function callWords(name: string, args: JsonObject): string {
	if (name === "bash" && typeof args.command === "string") {
		const [first, ...others] = args.command.trim().split("\n");
		return ["$ ", printableLine(first!), ...others.map((line) => `\n  ${printableLine(line)}`)].join("");
	}
	if (name === "subagent" && typeof args.description === "string")
		return short(`* subagent ${args.description}`);
	const told = TELLING.flatMap((key) => (typeof args[key] === "string" ? [args[key]] : []));
	return short(`* ${name} ${told.length > 0 ? told.join(" ") : otherArguments(args)}`);
}

function otherArguments(args: JsonObject): string {
	return Object.entries(args)
		.map(([key, value]) => `${key}=${short(valueWords(value))}`)
		.join(" ");
}

function valueWords(value: JsonValue): string {
	return typeof value === "string" ? value : JSON.stringify(value);
}

function short(text: string): string {
	const line = printableLine(text);
	return line.length > MOST ? `${line.slice(0, MOST).toWellFormed()}…` : line;
}
