import type {
	MethodName,
	ModelList,
	SessionSummary,
	SessionView,
	ThinkingLevel,
} from "../../agent/protocol/index.ts";
import type { Command } from "../composer/commands.ts";
import type { App } from "../state/app.svelte.ts";
import { compactSession } from "../state/compact-session.ts";
import { forkSession } from "../state/fork-session.ts";

/** What commands act on beside the agent. */
export type CommandParts = {
	readonly app: Pick<App, "ask" | "open" | "say" | "models"> & {
		readonly connection: Pick<App["connection"], "can">;
	};
	readonly chooseModel: () => void;
	readonly search: (query: string) => void;
	readonly newSession: () => void;
};

/** What of a session the commands depend on. */
export type CommandSession = {
	readonly id: string;
	readonly model: string | null;
	readonly archived: boolean;
	readonly isBusy: boolean;
	/** The newest entry, where there is one. */
	readonly newest: string | undefined;
};

export function commandSession(view: SessionView, isBusy: boolean): CommandSession {
	return {
		id: view.session.id,
		model: view.agent.model,
		archived: view.session.archived,
		isBusy,
		newest: view.entries.at(-1)?.id,
	};
}

/** What can also be done where a subagent works, which is no session of its own. */
const IN_SUBAGENTS: ReadonlySet<string> = new Set(["stop", "search", "new"]);

export function offeredIn(
	{ parent }: Pick<SessionSummary, "parent">,
	commands: readonly Command[],
): readonly Command[] {
	return parent === undefined ? commands : commands.filter(({ name }) => IN_SUBAGENTS.has(name));
}

/** Drawn only when the agent has the method. */
type Row = Command & { readonly method?: MethodName; readonly isDrawn?: boolean };

/** Every command of a session's composer, in the order the list shows them. */
export function sessionCommands(session: CommandSession, parts: CommandParts): readonly Command[] {
	const { app } = parts;
	const { id } = session;
	const configure = async (what: object) =>
		(await app.ask("session.configure", { session: id, ...what })) !== undefined;
	const levels = app.models.find(session.model)?.thinkingLevels ?? [];
	return drawn(app, [
		{
			name: "stop",
			words: "Stop the run",
			method: "session.stop",
			isDrawn: session.isBusy,
			run: async () => (await app.ask("session.stop", { session: id })) !== undefined,
		},
		{
			name: "compact",
			words: "Summarise what came before for the model",
			argument: { label: "[instructions]" },
			method: "session.compact",
			isDrawn: session.newest !== undefined,
			run: (instructions) => compactSession(app, id, instructions),
		},
		{
			name: "reset",
			words: "Start afresh here; what came before stays readable",
			argument: { label: "[note for the model]" },
			method: "session.reset",
			run: async (note) =>
				(await app.ask("session.reset", note === "" ? { session: id } : { session: id, note })) !== undefined,
		},
		{
			name: "fork",
			words: "Go on from here in a session of its own",
			method: "session.fork",
			isDrawn: session.newest !== undefined,
			run: () => forkSession(app, id, session.newest!),
		},
		modelCommand(app.models.list, parts.chooseModel, (model) => configure({ model })),
		{
			name: "thinking",
			words: "How much the model thinks",
			argument: { label: "level", choices: levels.map((value) => ({ value, words: "" })) },
			method: "session.configure",
			isDrawn: levels.length > 1,
			async run(level) {
				if ((levels as readonly string[]).includes(level))
					return configure({ thinkingLevel: level as ThinkingLevel });
				app.say(`This model thinks at one of these levels: ${levels.join(", ")}.`);
				return false;
			},
		},
		{
			name: "rename",
			words: "Give the session another title",
			argument: { label: "title" },
			method: "session.configure",
			async run(title) {
				if (title !== "") return configure({ title });
				app.say("Write the new title behind /rename.");
				return false;
			},
		},
		{
			name: "archive",
			words: session.archived ? "Bring the session back from the archive" : "Put the session away",
			method: "session.configure",
			run: () => configure({ archived: !session.archived }),
		},
		...everywhere(parts),
	]);
}

/** Those of a session that its first message will make. */
export function newSessionCommands(
	parts: CommandParts,
	setModel: (model: string) => void,
): readonly Command[] {
	const choose = (model: string) => {
		setModel(model);
		return true;
	};
	return drawn(parts.app, [
		modelCommand(parts.app.models.list, parts.chooseModel, choose),
		...everywhere(parts),
	]);
}

function modelCommand(
	list: ModelList | undefined,
	chooseModel: () => void,
	setModel: (model: string) => boolean | Promise<boolean>,
): Row {
	const models = list?.models ?? [];
	return {
		name: "model",
		words: "Choose who answers",
		argument: { label: "[model]", choices: models.map(({ id, name }) => ({ value: id, words: name })) },
		run(wanted) {
			const known = models.find(({ id, name }) => id === wanted || name === wanted);
			if (known !== undefined) return setModel(known.id);
			// Anything else opens the list, where it can be chosen.
			chooseModel();
			return true;
		},
	};
}

function everywhere({ search, newSession }: CommandParts): readonly Row[] {
	return [
		{
			name: "search",
			words: "Look through all sessions",
			argument: { label: "[words]" },
			method: "search",
			run(query) {
				search(query);
				return true;
			},
		},
		{
			name: "new",
			words: "Start a session in a folder",
			method: "sessions.create",
			run() {
				newSession();
				return true;
			},
		},
	];
}

function drawn(app: CommandParts["app"], rows: readonly Row[]): readonly Command[] {
	return rows.filter(
		({ method, isDrawn = true }) => isDrawn && (method === undefined || app.connection.can(method)),
	);
}
