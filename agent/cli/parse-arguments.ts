import { wrongUsage } from "./cli-error.ts";
import { type Command, type Option, usageOf } from "./command.ts";

/** What was typed after the name of a command. */
export type Arguments = {
	readonly positionals: Readonly<Record<string, string | undefined>>;
	readonly options: Readonly<Record<string, string | boolean | undefined>>;
};

/** Options that every command takes. */
export const COMMON_OPTIONS = {
	json: { kind: "flag", summary: "one JSON value on standard output, and nothing else there" },
	"data-dir": { kind: "value", value: "DIR", summary: "another data directory (or set OUTLIVE_DATA_DIR)" },
	help: { kind: "flag", summary: "what the command does and takes" },
} as const satisfies Record<string, Option>;

type CommonArguments = { json: boolean; help: boolean; "data-dir": string | undefined };

/** The words that are the command's, and the options that every command takes, wherever they stand. */
export type SplitArguments = { readonly words: readonly Word[]; readonly common: CommonArguments };
type Word = { readonly text: string; readonly kind: "positional" | "option" | "value" };

/**
 * Tells options from the rest. `--name VALUE` and `--name=VALUE` are the same; after `--` everything is positional; a
 * `-` alone is positional too.
 *
 * @param valueOptions the names of all options that take a value
 */
export function splitArguments(args: readonly string[], valueOptions: ReadonlySet<string>): SplitArguments {
	const words: Word[] = [];
	const common: CommonArguments = { json: false, help: false, "data-dir": undefined };
	for (let at = 0; at < args.length; at++) {
		const arg = args[at]!;
		if (arg === "--") {
			words.push(...args.slice(at + 1).map((text): Word => ({ text, kind: "positional" })));
			break;
		}
		const equals = arg.indexOf("=");
		const name = equals === -1 ? arg : arg.slice(0, equals);
		if (arg === "-h") common.help = true;
		// No option has a space in its name: a sentence that begins with a dash is a sentence.
		else if (arg === "-" || !arg.startsWith("-") || /\s/.test(name))
			words.push({ text: arg, kind: "positional" });
		else {
			const key = name.replace(/^--/, "");
			const takesValue = name.startsWith("--") && valueOptions.has(key);
			let value = equals === -1 ? undefined : arg.slice(equals + 1);
			if (takesValue && value === undefined) {
				at++;
				value = args[at];
				if (value === undefined) throw wrongUsage(`${name} needs a value after it.`);
			}
			if (name === "--json" || name === "--help") {
				if (value !== undefined) throw wrongUsage(`${name} takes no value.`);
				common[key as "json" | "help"] = true;
			} else if (name === "--data-dir") {
				if (value === "") throw wrongUsage("--data-dir needs the path of a folder.");
				common["data-dir"] = value;
			} else {
				words.push({ text: name, kind: "option" });
				if (value !== undefined) words.push({ text: value, kind: "value" });
			}
		}
	}
	return { words, common };
}

/** Reads the words after a command's name by its table entry. Throws a `CliError` that says what is wrong. */
export function readArguments(command: Command, words: readonly Word[]): Arguments {
	const problem = (message: string) => wrongUsage(`${message} The command is: outlive ${usageOf(command)}`);
	const given: string[] = [];
	const options: Record<string, string | boolean | undefined> = {};
	for (const [key, option] of Object.entries(command.options))
		options[key] = option.kind === "flag" ? false : undefined;

	for (let at = 0; at < words.length; at++) {
		const { text, kind } = words[at]!;
		if (kind !== "option") {
			given.push(text);
			continue;
		}
		const key = text.replace(/^--/, "");
		const option =
			text.startsWith("--") && Object.hasOwn(command.options, key) ? command.options[key]! : null;
		if (option === null) throw problem(unknownOption(command, text));
		const value = words[at + 1]?.kind === "value" ? words[++at]!.text : undefined;
		if (option.kind === "flag") {
			if (value !== undefined) throw problem(`${text} takes no value.`);
			options[key] = true;
		} else {
			if (value === undefined) throw problem(`${text} needs a value after it.`);
			if (option.choices !== undefined && !option.choices.includes(value))
				throw problem(`${text} takes ${anyOf(option.choices)}, not ${JSON.stringify(value)}.`);
			options[key] = value;
		}
	}
	for (const keys of command.exclusive ?? []) {
		const both = keys.filter((key) => options[key] !== undefined && options[key] !== false);
		if (both.length > 1)
			throw problem(`Of ${both.map((key) => `--${key}`).join(" and ")} only one can be given.`);
	}
	return { positionals: namePositionals(command, given, problem), options };
}

function namePositionals(command: Command, given: readonly string[], problem: (message: string) => Error) {
	const named: Record<string, string | undefined> = {};
	for (const [at, positional] of command.positionals.entries()) {
		const name = positional.replace(/^\[|\]$/g, "");
		named[name] = given[at];
		if (given[at] === undefined && name === positional) throw problem(`${name} is missing.`);
	}
	const extra = given[command.positionals.length];
	if (extra !== undefined)
		throw problem(`${JSON.stringify(extra)} is one word too many; a text of several words goes in quotes.`);
	return named;
}

function unknownOption(command: Command, text: string): string {
	const known = Object.keys(command.options).map((key) => `--${key}`);
	const its = known.length === 0 ? "it has no options of its own" : `it has ${known.join(", ")}`;
	return `outlive ${command.name} has no option ${text} (${its}; a text that begins with a dash goes after --).`;
}

function anyOf(choices: readonly string[]): string {
	return `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}
