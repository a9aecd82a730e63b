import type {
	Extension,
	HookRegistration,
	HooksOf,
	PromptSection,
	Registry,
	RegistrySnapshot,
	Wrap,
} from "../types/extensions.ts";
import type { AnyTask } from "../types/tasks.ts";
import type { ToolRegistration } from "../types/tools.ts";

const SECTION_KEY = /^[a-z][a-z0-9_-]*$/;
/** A conversation's own instructions are rendered under this key. */
export const INSTRUCTIONS_SECTION = "instructions";

/** Identity; gives an extension literal its types. */
export function defineExtension<Tool extends ToolRegistration = ToolRegistration>(
	extension: Extension<Tool>,
): Extension<Tool> {
	return extension;
}

/** A part of the system prompt. `tag: false` leaves its text unwrapped. */
export function section<Tool extends ToolRegistration = ToolRegistration>(
	key: string,
	render: PromptSection<Tool>["render"],
	options?: { readonly tag?: boolean },
): PromptSection<Tool> {
	return { key, render, ...options };
}

/** Handlers for the questions a task asks; they find the task by name. */
export function hook<K extends AnyTask>(task: K, handlers: Partial<HooksOf<K>>): HookRegistration {
	return { task: task.definition.name, handlers };
}

/** Decorates whichever tool of that name wins. The wrapper returns a new tool and leaves the old one alone. */
export function wrapTool<Tool extends ToolRegistration>(
	tool: Tool,
	wrapper: (tool: Tool) => Tool,
): Wrap<Tool> {
	return { tool: tool.name, wrap: wrapper };
}

/** Decorates whichever section of that key wins. */
export function wrapSection<Tool extends ToolRegistration = ToolRegistration>(
	key: string,
	wrapper: (section: PromptSection<Tool>) => PromptSection<Tool>,
): Wrap<Tool> {
	return { section: key, wrap: wrapper };
}

/** A registry that holds the given built-in tasks and no extension. */
export function createRegistryWith<Tool extends ToolRegistration = ToolRegistration>(
	builtIn: readonly AnyTask[],
): Registry<Tool> {
	const listeners = new Set<() => void>();
	let current = createSnapshot<Tool>(builtIn, []);

	function publish(extensions: readonly Extension<Tool>[]): void {
		assertValid(builtIn, extensions);
		current = createSnapshot(builtIn, extensions);
		for (const listener of [...listeners]) listener();
	}

	return {
		snapshot: () => current,
		subscribe(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		install(extension) {
			const installed = current.installed();
			const known = installed.some(({ name }) => name === extension.name);
			publish(
				known
					? installed.map((other) => (other.name === extension.name ? extension : other))
					: [...installed, extension],
			);
		},
		uninstall({ name }) {
			const installed = current.installed();
			if (installed.some((extension) => extension.name === name))
				publish(installed.filter((extension) => extension.name !== name));
		},
	};
}

function createSnapshot<Tool extends ToolRegistration>(
	builtIn: readonly AnyTask[],
	extensions: readonly Extension<Tool>[],
): RegistrySnapshot<Tool> {
	const byName = new Map(extensions.map((extension) => [extension.name, extension]));
	const tasks = [...builtIn, ...extensions.flatMap((extension) => extension.tasks ?? [])];
	const taskByName = new Map(tasks.map((task) => [task.definition.name, task]));
	return {
		installed: () => extensions,
		extension: (name) => byName.get(name),
		tools: () =>
			extensions.flatMap((extension) => (extension.tools ?? []).map((tool) => ({ extension, tool }))),
		sections: () =>
			extensions.flatMap((extension) => (extension.sections ?? []).map((s) => ({ extension, section: s }))),
		tasks: () => tasks,
		task: (name) => taskByName.get(name),
	};
}

function assertValid(builtIn: readonly AnyTask[], extensions: readonly Extension<ToolRegistration>[]): void {
	const tasks = new Set(builtIn.map((task) => task.definition.name));
	for (const extension of extensions) {
		const named = (what: string) => `Extension ${extension.name}: ${what}`;
		assertUnique(
			extension.tools?.map(({ name }) => name),
			(name) => named(`two tools are named ${name}`),
		);
		assertUnique(
			extension.sections?.map(({ key }) => key),
			(key) => named(`two sections have the key ${key}`),
		);
		for (const { key } of extension.sections ?? []) {
			if (!SECTION_KEY.test(key))
				throw new TypeError(named(`section key "${key}" must be lower case letters, digits, - and _`));
			if (key === INSTRUCTIONS_SECTION)
				throw new TypeError(named(`section key "${key}" is kept for a conversation's instructions`));
		}
		for (const { definition } of extension.tasks ?? []) {
			if (tasks.has(definition.name))
				throw new TypeError(named(`a task named ${definition.name} is already there`));
			tasks.add(definition.name);
		}
	}
}

function assertUnique(names: readonly string[] | undefined, message: (name: string) => string): void {
	const seen = new Set<string>();
	for (const name of names ?? []) {
		if (seen.has(name)) throw new TypeError(message(name));
		seen.add(name);
	}
}
