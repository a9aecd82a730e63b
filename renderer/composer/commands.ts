/** Something a person can ask for by a `/` in the composer. */
export type Command = {
	/** Without the `/`. */
	readonly name: string;
	/** What it does. */
	readonly words: string;
	/** What may follow its name; a command without one takes nothing. */
	readonly argument?: CommandArgument;
	/** @returns whether it was done; what was typed is put back when it wasn't */
	run(argument: string): boolean | Promise<boolean>;
};

export type CommandArgument = {
	/** As it is shown behind the name: `[instructions]`. */
	readonly label: string;
	/** What can be chosen, where that is known. */
	readonly choices?: readonly { readonly value: string; readonly words: string }[];
};

/** A command that is being typed. */
export type CommandInput =
	| { readonly kind: "name"; readonly query: string }
	| { readonly kind: "argument"; readonly command: Command; readonly query: string };

/** What of a command is being typed at the caret: it begins the message, and the caret is on its first line. */
export function commandInputAt(
	text: string,
	caret: number,
	commands: readonly Command[],
): CommandInput | undefined {
	const before = /^\/(\S*)(?: +([^\n]*))?$/.exec(text.slice(0, caret));
	if (before === null) return undefined;
	const [, name = "", query] = before;
	if (query === undefined) return { kind: "name", query: name };
	const command = commands.find((each) => each.name === name);
	return command?.argument === undefined ? undefined : { kind: "argument", command, query };
}

/**
 * The command that a whole message is; undefined for a message. `/usr is full` is one, as nobody is called `usr`, and so
 * is `/stop the server`, as stopping takes nothing.
 */
export function commandOf(
	text: string,
	commands: readonly Command[],
): { readonly command: Command; readonly argument: string } | undefined {
	const [, name, rest = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
	const command = commands.find((each) => each.name === name);
	if (command === undefined) return undefined;
	const argument = rest.trim();
	return argument !== "" && command.argument === undefined ? undefined : { command, argument };
}

/** Commands whose names begin with what was typed, then those that have it in their words. */
export function matchingCommands(query: string, commands: readonly Command[]): readonly Command[] {
	const wanted = query.toLowerCase();
	const byName = commands.filter(({ name }) => name.startsWith(wanted));
	const byWords = commands.filter(
		(each) => !byName.includes(each) && wanted.length > 1 && each.words.toLowerCase().includes(wanted),
	);
	return [...byName, ...byWords];
}
