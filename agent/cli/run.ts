import { CliError, wrongUsage } from "./cli-error.ts";
import type { Call } from "./command.ts";
import { COMMANDS, findCommand } from "./commands.ts";
import type { ExitCode } from "./exit-code.ts";
import { createOutput, endQuietlyWithoutReader, type Output } from "./output/output.ts";
import { COMMON_OPTIONS, readArguments, type SplitArguments, splitArguments } from "./parse-arguments.ts";
import { ownVersion, placeOf } from "./place.ts";

/**
 * Runs one command line: parses it, loads the command's code, and turns whatever goes wrong into one sentence and an
 * exit code.
 *
 * @param args what follows the program's name
 */
export async function runCommandLine(args: readonly string[]): Promise<ExitCode> {
	endQuietlyWithoutReader(process.stdout, process.stderr);
	let output = createOutput(args.includes("--json"));
	try {
		if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) return sayVersion(output);
		const split = splitArguments(args, VALUE_OPTIONS);
		output = createOutput(split.common.json);
		return await run(split, output);
	} catch (error) {
		return fail(error, output);
	}
}

/** The names of all options that take a value: where the command's name stands is told from them. */
const VALUE_OPTIONS: ReadonlySet<string> = new Set(
	[COMMON_OPTIONS, ...COMMANDS.map(({ options }) => options)].flatMap((options) =>
		Object.entries(options).flatMap(([key, { kind }]) => (kind === "value" ? [key] : [])),
	),
);

async function run({ words, common }: SplitArguments, output: Output): Promise<ExitCode> {
	const at = words.findIndex(({ kind }) => kind === "positional");
	const name = words[at]?.text;
	const rest = words.filter((_, index) => index !== at);
	if (name === undefined || name === "help")
		return help(rest[0]?.text, name === "help" || common.help, output);
	const command = findCommand(name);
	if (command === undefined) throw unknownCommand(name);
	if (common.help) return help(name, true, output);
	const call: Call<object, object> = {
		...readArguments(command, rest),
		place: placeOf(process.env, process.cwd(), common["data-dir"]),
		output,
	};
	if (typeof command.code !== "function")
		throw new CliError(
			"not_yet",
			5,
			`outlive ${name} is not there yet; it comes with ${command.code.comesWith}.`,
		);
	const { run: runCommand } = await command.code();
	// Its arguments were read by the table entry that its code was checked against.
	return runCommand(call as Call<never, never>);
}

async function help(topic: string | undefined, isAskedFor: boolean, output: Output): Promise<ExitCode> {
	const { commandHelp, generalHelp } = await import("./help.ts");
	if (topic !== undefined) {
		const command = findCommand(topic);
		if (command === undefined) throw unknownCommand(topic);
		output.result({ help: commandHelp(command) }, () => commandHelp(command));
		return 0;
	}
	if (!isAskedFor) {
		if (!output.json) output.note(generalHelp());
		throw wrongUsage("outlive needs a command.");
	}
	output.result({ help: generalHelp() }, generalHelp);
	return 0;
}

function sayVersion(output: Output): ExitCode {
	const version = ownVersion();
	output.result({ version }, () => version);
	return 0;
}

function unknownCommand(name: string): CliError {
	return wrongUsage(`outlive has no command ${JSON.stringify(name)}; see: outlive help`);
}

async function fail(error: unknown, output: Output): Promise<ExitCode> {
	const { asFailure } = await import("./failure.ts");
	const { code, message, exit } = asFailure(error);
	if (output.json) output.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
	output.note(message);
	return exit;
}
