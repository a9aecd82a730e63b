import type { MethodName } from "../protocol/index.ts";
import type { ExitCode } from "./exit-code.ts";
import type { Output } from "./output/output.ts";
import type { Place } from "./place.ts";

/** An option of a command: one that is there or not, or one that takes a value. */
export type Option =
	| { readonly kind: "flag"; readonly summary: string }
	| {
			readonly kind: "value";
			/** What stands for the value in the usage: `P/M`, `ID`. */
			readonly value: string;
			/** The only values it takes, where there are few. */
			readonly choices?: readonly string[];
			readonly summary: string;
	  };

export type Options = Readonly<Record<string, Option>>;

/** One command of `outlive`: all that the parser, the help and the tests know of it. */
export type Command = {
	readonly name: string;
	readonly group: "the agent" | "sessions" | "a session" | "what there is" | "other ways in";
	/** In order: `SESSION` must be given, `[DIR]` may be. */
	readonly positionals: readonly string[];
	readonly options: Options;
	/** Options of which at most one may be given. */
	readonly exclusive?: readonly (readonly string[])[];
	/** One line. */
	readonly summary: string;
	/** What else `help COMMAND` says. */
	readonly details?: string;
	/** The methods of the wire it uses, so that a test can tell which of them no command reaches. */
	readonly methods: readonly MethodName[];
	readonly code: Code<never, never>;
};

/** Loads a command's code, which no other command has to wait for; or says with what the command will come. */
export type Code<Positionals, Values> =
	| (() => Promise<{ run(call: Call<Positionals, Values>): Promise<ExitCode> }>)
	| { readonly comesWith: "a later version" };

/** A command as it was called. */
export type Call<Positionals, Values> = {
	readonly positionals: Positionals;
	readonly options: Values;
	readonly place: Place;
	readonly output: Output;
};

/** `SESSION` → a string; `[DIR]` → a string or undefined. */
export type PositionalsOf<P extends readonly string[]> = {
	readonly [K in P[number] as K extends `[${infer Name}]` ? Name : K]: K extends `[${string}]`
		? string | undefined
		: string;
};

/** A flag → a boolean; a value → a string, one of the choices if there are some, or undefined. */
export type ValuesOf<O extends Options> = {
	readonly [K in keyof O]: O[K] extends { readonly kind: "flag" }
		? boolean
		: O[K] extends { readonly choices: readonly (infer C)[] }
			? C | undefined
			: string | undefined;
};

/** Checks that what a command's code wants to be given is what its usage says, and forgets the details. */
export function command<const P extends readonly string[], const O extends Options>(
	spec: Omit<Command, "positionals" | "options" | "code"> & {
		readonly positionals: P;
		readonly options: O;
		readonly code: Code<PositionalsOf<P>, ValuesOf<O>>;
	},
): Command {
	return spec as Command;
}

/** The usage line without the name of the program: `new [DIR] [PROMPT] [--model P/M] …`. */
export function usageOf({ name, positionals, options, exclusive = [] }: Command): string {
	const written = (key: string) => {
		const option = options[key]!;
		if (option.kind === "flag") return `--${key}`;
		return `--${key} ${option.choices?.join("|") ?? option.value}`;
	};
	const groups = Object.keys(options).flatMap((key) => {
		const group = exclusive.find((keys) => keys.includes(key));
		if (group === undefined) return [[key]];
		return group[0] === key ? [group] : [];
	});
	return [name, ...positionals, ...groups.map((keys) => `[${keys.map(written).join(" | ")}]`)].join(" ");
}
