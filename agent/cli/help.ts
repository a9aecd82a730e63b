import { type Command, type Option, usageOf } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { table } from "./output/table.ts";
import { COMMON_OPTIONS } from "./parse-arguments.ts";

const EXIT_CODES = [
	["0", "done"],
	["1", "the run failed or was stopped"],
	["2", "wrong usage"],
	["3", "the agent can't be reached or started"],
	["4", "no such session"],
	["5", "refused: busy, folder not allowed, model not available, not there yet"],
];

/** What `outlive help` says. */
export function generalHelp(): string {
	const groups = [...new Set(COMMANDS.map(({ group }) => group))];
	const width = Math.max(...COMMANDS.map(({ name, positionals }) => [name, ...positionals].join(" ").length));
	const lines = groups.flatMap((group) => [
		"",
		`${group[0]!.toUpperCase()}${group.slice(1)}`,
		...COMMANDS.filter((each) => each.group === group).map(
			({ name, positionals, summary, code }) =>
				`  ${[name, ...positionals].join(" ").padEnd(width)}  ${summary}` +
				`${typeof code === "function" ? "" : ` (comes with ${code.comesWith})`}`,
		),
	]);
	return [
		"Outlive: coding-agent sessions that outlive the window, the app and the agent's process.",
		"",
		"outlive COMMAND [--json] [--data-dir DIR]",
		...lines,
		"",
		"SESSION is an id or the unambiguous start of one; @ is the latest in this folder.",
		"More about a command: outlive help COMMAND",
		"",
		"Exit codes",
		indented(table(EXIT_CODES, undefined)),
	].join("\n");
}

/** What `outlive help COMMAND` says. */
export function commandHelp(command: Command): string {
	const { summary, details, options } = command;
	return [
		`outlive ${usageOf(command)}`,
		"",
		`${summary[0]!.toUpperCase()}${summary.slice(1)}.${details === undefined ? "" : ` ${details}`}`,
		"",
		"Options",
		indented(table([...optionRows(options), ...optionRows(COMMON_OPTIONS)], undefined)),
	].join("\n");
}

function optionRows(options: Readonly<Record<string, Option>>): string[][] {
	return Object.entries(options).map(([key, option]) => [
		option.kind === "flag" ? `--${key}` : `--${key} ${option.choices?.join("|") ?? option.value}`,
		option.summary,
	]);
}

function indented(text: string): string {
	return text.replaceAll(/^/gm, "  ");
}
