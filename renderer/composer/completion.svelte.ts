import type { FileMatches } from "../../agent/protocol/index.ts";
import { type Command, commandInputAt, matchingCommands } from "./commands.ts";
import { complete, type Mention, mentionAt } from "./mention.ts";

/** One line of the list under which a word is completed. */
export type CompletionItem = {
	readonly key: string;
	readonly text: string;
	/** What may follow it. */
	readonly rest?: string;
	readonly words?: string;
};

/** What accepting a line does: the message becomes another text, or a command is run. */
export type Accepted =
	| { readonly kind: "text"; readonly text: string; readonly caret: number }
	| { readonly kind: "run"; readonly command: Command; readonly argument: string };

type Shown = {
	readonly label: "Files" | "Commands" | "Choices";
	readonly items: readonly CompletionItem[];
	accept(index: number, text: string): Accepted | undefined;
};

/** What is offered while something is typed: files after an `@`, commands after a `/`, and what a command takes. */
export function createCompletion(
	findFiles: (query: string) => Promise<FileMatches>,
	commands: () => readonly Command[],
) {
	let shown = $state.raw<Shown | undefined>();
	let chosen = $state(0);
	let mention: Mention | undefined;

	function show(next: Shown | undefined): void {
		shown = next === undefined || next.items.length === 0 ? undefined : next;
		chosen = 0;
	}

	async function lookForFiles(found: Mention): Promise<void> {
		try {
			const { matches } = await findFiles(found.query);
			if (mention === found) show(filesShown(found, matches));
		} catch {
			// Without an answer there is nothing to offer; the name can be typed.
			if (mention === found) show(undefined);
		}
	}

	return {
		get isShown() {
			return shown !== undefined;
		},
		get label() {
			return shown?.label ?? "";
		},
		get items() {
			return shown?.items ?? [];
		},
		get chosen() {
			return chosen;
		},
		/** Looks at what is typed before the caret. */
		look(text: string, caret: number): void {
			const input = commandInputAt(text, caret, commands());
			mention = input === undefined ? mentionAt(text, caret) : undefined;
			if (mention !== undefined) void lookForFiles(mention);
			else if (input?.kind === "name") show(commandsShown(matchingCommands(input.query, commands())));
			else if (input?.kind === "argument") show(choicesShown(input.command, input.query));
			else show(undefined);
		},
		step(by: 1 | -1): void {
			const count = shown?.items.length ?? 1;
			chosen = (chosen + by + count) % count;
		},
		/** @returns what becomes of the message, and puts the list away */
		accept(index: number, text: string): Accepted | undefined {
			const accepted = shown?.accept(index, text);
			this.close();
			return accepted;
		},
		close(): void {
			mention = undefined;
			show(undefined);
		},
	};
}

export type Completion = ReturnType<typeof createCompletion>;

function filesShown(mention: Mention, matches: FileMatches["matches"]): Shown {
	return {
		label: "Files",
		items: matches.map(({ path, kind }) => ({
			key: path,
			text: kind === "folder" && !path.endsWith("/") ? `${path}/` : path,
		})),
		accept(index, text) {
			const match = matches[index];
			return match === undefined ? undefined : { kind: "text", ...complete(text, mention, match) };
		},
	};
}

function commandsShown(commands: readonly Command[]): Shown {
	return {
		label: "Commands",
		items: commands.map(({ name, words, argument }) => ({
			key: name,
			text: `/${name}`,
			words,
			...(argument === undefined ? {} : { rest: argument.label }),
		})),
		accept(index) {
			const command = commands[index];
			if (command === undefined) return undefined;
			if (command.argument === undefined) return { kind: "run", command, argument: "" };
			const text = `/${command.name} `;
			return { kind: "text", text, caret: text.length };
		},
	};
}

function choicesShown(command: Command, query: string): Shown {
	const wanted = query.trim().toLowerCase();
	const choices = (command.argument?.choices ?? []).filter(
		({ value, words }) => value.toLowerCase().includes(wanted) || words.toLowerCase().includes(wanted),
	);
	return {
		label: "Choices",
		items: choices.map(({ value, words }) => ({ key: value, text: value, words })),
		accept(index) {
			const choice = choices[index];
			return choice === undefined ? undefined : { kind: "run", command, argument: choice.value };
		},
	};
}
