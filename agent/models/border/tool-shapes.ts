import type { Api, Model } from "@earendil-works/pi-ai";

/** How a family of models knows one of our parameters. */
export type ParameterShape = {
	readonly name: string;
	readonly description?: string;
	/** How many of the model's units are one of ours: 1,000 for milliseconds of our seconds. */
	readonly scale?: number;
};

/** How a family of models knows one of our tools: its name, and its parameters where they differ from ours. */
export type ToolShape = {
	readonly name: string;
	readonly parameters?: Readonly<Record<string, ParameterShape>>;
};

/** By the names of our own tools. A tool that isn't here keeps its name and its schema. */
export type ToolShapes = Readonly<Record<string, ToolShape>>;

const FILE_PATH = { name: "file_path" };
const MILLISECONDS = { scale: 1000, description: "Milliseconds after which it is ended. Default: none." };

/** As Claude Code's tools are called. */
const ANTHROPIC: ToolShapes = {
	read: { name: "Read", parameters: { path: FILE_PATH } },
	write: { name: "Write", parameters: { path: FILE_PATH } },
	edit: { name: "Edit", parameters: { path: FILE_PATH } },
	bash: { name: "Bash", parameters: { timeout: { name: "timeout", ...MILLISECONDS } } },
	grep: {
		name: "Grep",
		parameters: {
			ignore_case: { name: "-i" },
			context: { name: "-C" },
			limit: { name: "head_limit" },
		},
	},
	find: { name: "Glob" },
	ls: { name: "LS" },
};

/**
 * As Codex's tools are called. Its `apply_patch` changes many files in one call, which no single call of ours is, so
 * `write` and `edit` stay.
 */
const OPENAI: ToolShapes = {
	read: { name: "read_file", parameters: { path: FILE_PATH } },
	bash: { name: "shell_command", parameters: { timeout: { name: "timeout_ms", ...MILLISECONDS } } },
	grep: { name: "grep_files", parameters: { glob: { name: "include" } } },
	ls: { name: "list_dir", parameters: { path: { name: "dir_path" } } },
};

/** A model is of the family that trained it, whoever serves it: `openrouter`'s `anthropic/claude-…` is Anthropic's. */
const FAMILIES: readonly { readonly models: RegExp; readonly shapes: ToolShapes }[] = [
	{ models: /(^|[/.])claude-/, shapes: ANTHROPIC },
	{ models: /(^|[/.])(gpt-\d|o\d(-|$)|codex-)/, shapes: OPENAI },
];

/** Claude Code's models are Anthropic's under any name, such as `opus`. */
const PROVIDERS: Readonly<Record<string, ToolShapes>> = { "claude-code": ANTHROPIC };

/** The names and schemas that a model was trained on; none for a model of no known family. */
export function shapesFor({ provider, id }: Pick<Model<Api>, "provider" | "id">): ToolShapes {
	return PROVIDERS[provider] ?? FAMILIES.find(({ models }) => models.test(id.toLowerCase()))?.shapes ?? {};
}
