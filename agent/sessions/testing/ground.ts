import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { createModels } from "@earendil-works/pi-ai";
import { obj, opt, str } from "@earendil-works/pi-schema";
import {
	type ConversationId,
	createRegistry,
	defineExtension,
	defineTool,
	type Extension,
	Harness,
	type HarnessSettings,
	MemoryStorage,
	type ModelRef,
} from "../../durable/index.ts";
import { openNodeSqliteStorage } from "../../durable/storage/sqlite/node.ts";
import type { Storage } from "../../durable/types/storage.ts";
import { createScriptedProvider, SCRIPTED_MODEL, SCRIPTED_PROVIDER } from "../../models/scripted/provider.ts";
import { type OpenSessions, openSessions, type SessionsOptions } from "../open-sessions.ts";
import type { SessionSnapshot } from "../service.ts";

export const SCRIPTED: ModelRef = { provider: SCRIPTED_PROVIDER, modelId: SCRIPTED_MODEL };

/** A home directory of its own, and sessions on a real harness with the scripted model. */
export type Ground = {
	readonly home: string;
	/** Makes a folder in the home directory. */
	folder(name: string): Promise<string>;
	open(options?: GroundOptions): Promise<OpenGround>;
};

export type GroundOptions = {
	/** Default: one in memory. */
	readonly storage?: Storage;
	readonly settings?: HarnessSettings;
	/** Beside the test's own tools. */
	readonly extensions?: readonly Extension[];
} & Partial<Omit<SessionsOptions, "harness">>;

export type OpenGround = {
	readonly harness: Harness;
	readonly sessions: OpenSessions;
	/** Lets the calls of the tool `hold` end. */
	release(): void;
	close(): Promise<void>;
};

/** Runs with a ground and takes away everything it left, also when it fails. */
export async function withGround(run: (ground: Ground) => Promise<void>): Promise<void> {
	const home = await realpath(await mkdtemp(join(tmpdir(), "outlive-sessions-")));
	const opened: OpenGround[] = [];
	try {
		await run({
			home,
			async folder(name) {
				await mkdir(join(home, name), { recursive: true });
				return join(home, name);
			},
			async open(options) {
				const ground = await openGround(home, options);
				opened.push(ground);
				return ground;
			},
		});
	} finally {
		for (const ground of opened) await ground.close();
		await rm(home, { recursive: true, force: true });
	}
}

export function sqliteIn(home: string): Promise<Storage> {
	return openNodeSqliteStorage(join(home, "outlive.sqlite"));
}

/** @param home an absolute path with no symbolic link in it */
export async function openGround(
	home: string,
	{ storage, settings, extensions = [], ...options }: GroundOptions = {},
): Promise<OpenGround> {
	const models = createModels();
	models.setProvider(createScriptedProvider({ wordIntervalMs: 1 }));
	const held = Promise.withResolvers<void>();
	const registry = createRegistry();
	registry.install(tools(held.promise));
	for (const extension of extensions) registry.install(extension);
	const harness = await Harness.open(
		storage ?? new MemoryStorage(),
		{ models, registry, settings: { retry: { baseDelayMs: 1 }, ...settings } },
		BACKGROUND_CONTEXT,
	);
	const sessions = await openSessions({
		harness,
		home,
		defaultModel: () => SCRIPTED,
		modelAvailable: ({ provider }) => provider === SCRIPTED_PROVIDER,
		allowedRoots: () => [],
		report: (error) => {
			throw error;
		},
		...options,
	});
	let closed: Promise<void> | undefined;
	return {
		harness,
		sessions,
		release: held.resolve,
		close() {
			closed ??= (async () => {
				sessions.close();
				await harness.close(BACKGROUND_CONTEXT);
			})();
			return closed;
		},
	};
}

/** `echo` answers with its text, `hold` once it is let go, `enough` ends the run. */
function tools(held: Promise<void>) {
	const parameters = obj({ text: opt(str()) });
	const text = (said: string) => [{ type: "text" as const, text: said }];
	return defineExtension({
		name: "test-tools",
		tools: [
			defineTool({
				name: "echo",
				description: "Says it again.",
				parameters,
				replay: "safe",
				execute: async ({ text: said = "" }) => ({ content: text(said) }),
			}),
			defineTool({
				name: "hold",
				description: "Waits.",
				parameters,
				replay: "safe",
				async execute(_args, _api, context) {
					const stopped = Promise.withResolvers<never>();
					const stop = () => stopped.reject(context.abortSignal?.reason);
					context.abortSignal?.addEventListener("abort", stop, { once: true });
					await Promise.race([held, stopped.promise]);
					return { content: text("let go") };
				},
			}),
			defineTool({
				name: "enough",
				description: "Ends the run.",
				parameters,
				replay: "safe",
				execute: async () => ({ content: text("enough"), control: { terminate: true } }),
			}),
		],
	});
}

/** Resolves with the session's snapshot once it is as asked; rejects after ten seconds. */
export async function reached(
	sessions: OpenSessions,
	id: ConversationId,
	isIt: (snapshot: SessionSnapshot) => boolean,
): Promise<SessionSnapshot> {
	const { promise, resolve, reject } = Promise.withResolvers<SessionSnapshot>();
	const look = (snapshot: SessionSnapshot | undefined) => {
		if (snapshot?.id === id && isIt(snapshot)) resolve(snapshot);
	};
	const unsubscribe = sessions.subscribe(look);
	const deadline = setTimeout(
		() => reject(new Error(`Still not as asked: ${JSON.stringify(sessions.get(id))}`)),
		10_000,
	);
	look(sessions.get(id));
	return promise.finally(() => {
		clearTimeout(deadline);
		unsubscribe();
	});
}

export const isIdle = ({ activity }: SessionSnapshot) =>
	activity.kind === "idle" || activity.kind === "failed";

/** The texts of what a person said in a session, oldest first. */
export async function saidIn(harness: Harness, id: ConversationId): Promise<string[]> {
	const conversation = await harness.conversation(id, BACKGROUND_CONTEXT);
	const page = await conversation!.entries({ order: "ascending" }, 1_000, undefined, BACKGROUND_CONTEXT);
	return page.items.flatMap(({ kind, model }) => {
		const message = model?.[0];
		return kind === "pi.user" && message?.role === "user" ? [String(message.content)] : [];
	});
}
