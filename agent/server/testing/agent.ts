import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { inspect } from "node:util";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { createNodeFileSystem } from "../../durable/env/node-file-system.ts";
import {
	type ConversationId,
	createRegistry,
	defineExtension,
	Harness,
	type ToolRegistration,
} from "../../durable/index.ts";
import { openNodeSqliteStorage } from "../../durable/storage/sqlite/node.ts";
import { createCatalog } from "../../models/catalog.ts";
import { catalogEntries } from "../../models/entries.ts";
import { SCRIPTED_PROVIDER } from "../../models/scripted/provider.ts";
import { type Client, connectClient, type Health } from "../../protocol/index.ts";
import { connectSocket } from "../../protocol/node-socket-transport.ts";
import { type OpenSessions, openSessions } from "../../sessions/open-sessions.ts";
import { createSpending } from "../../sessions/spending/spending.ts";
import type { ServerOptions } from "../options.ts";
import { type AgentServer, createServer } from "../server.ts";
import { openRawClient, type RawClient } from "./raw-client.ts";

export type LogLine = { readonly level: string; readonly message: string; readonly fields: object };

/** A server on a real harness, with SQLite, sessions and the scripted model. */
export type TestAgent = {
	readonly directory: string;
	readonly home: string;
	readonly path: string;
	readonly harness: Harness;
	readonly sessions: OpenSessions;
	readonly server: AgentServer;
	/** What the server was made with. */
	readonly serverOptions: ServerOptions;
	readonly log: readonly LogLine[];
	/** A folder in the home directory that exists. */
	folder(name: string): Promise<string>;
	/** A client of the product's own. */
	connect(): Promise<Client>;
	/** A client that says whatever the test wants. */
	raw(): Promise<RawClient>;
	/** A session in a folder of its own. */
	session(content?: string): Promise<string>;
	/** The conversation of a session, by what clients call it. */
	id(session: string): ConversationId;
};

export type TestAgentOptions = Partial<ServerOptions> & {
	readonly tools?: readonly ToolRegistration[];
	readonly wordIntervalMs?: number;
	/** How long the first retry waits. */
	readonly retryMs?: number;
};

/** Starts one and takes away everything of it when the test ends. */
export async function startAgent(test: TestContext, options: TestAgentOptions = {}): Promise<TestAgent> {
	const { tools = [], wordIntervalMs = 1, retryMs = 1, ...given } = options;
	const directory = await realpath(await mkdtemp(join(tmpdir(), "ol-")));
	const home = join(directory, "home");
	await mkdir(home);
	const path = join(directory, "agent.sock");
	const catalog = createCatalog({
		environment: async () => ({}),
		entries: catalogEntries({ wordIntervalMs }),
	});
	const registry = createRegistry();
	registry.install(defineExtension({ name: "test-tools", tools: [...tools] }));
	const spending = createSpending({ projectOf: (root) => sessions.get(root)?.record.directory });
	const harness = await Harness.open(
		await openNodeSqliteStorage(join(directory, "outlive.sqlite")),
		{
			models: catalog.models,
			registry,
			settings: { retry: { baseDelayMs: retryMs } },
			account: spending.account,
		},
		BACKGROUND_CONTEXT,
	);
	const log: LogLine[] = [];
	const sessions = await openSessions({
		harness,
		home,
		defaultModel: catalog.defaultModel,
		modelAvailable: ({ provider }) => provider === SCRIPTED_PROVIDER,
		allowedRoots: () => [],
		report: (error) => {
			throw error;
		},
	});
	await spending.follow(harness);
	const serverOptions: ServerOptions = {
		harness,
		sessions,
		spending,
		catalog,
		agent: { version: "0.1.0", startedAt: Date.now(), dataDirectory: directory },
		health: healthyAnd(() => {}),
		files: createNodeFileSystem({ cwd: home, home }),
		log: logInto(log, test),
		maxRetries: () => 3,
		shutdown: () => {},
		handOver: async () => {},
		endsWhen: () => undefined,
		readOutput: async () => undefined,
		stopBackground: async () => false,
		...given,
	};
	const server = createServer(serverOptions);
	await server.listen(path);
	const clients = new Set<{ close(): void }>();
	const kept = <C extends { close(): void; readonly closed: Promise<unknown> }>(client: C): C => {
		clients.add(client);
		void client.closed.then(() => clients.delete(client));
		return client;
	};
	test.after(async () => {
		for (const client of clients) client.close();
		await server.close();
		spending.close();
		sessions.close();
		await harness.close(BACKGROUND_CONTEXT);
		await rm(directory, { recursive: true, force: true });
	});
	let sessionCount = 0;
	return {
		directory,
		home,
		path,
		harness,
		sessions,
		server,
		serverOptions,
		log,
		async folder(name) {
			await mkdir(join(home, name), { recursive: true });
			return join(home, name);
		},
		connect: async () => kept(await connectClient(await connectSocket(path), { client: "test 0" })),
		raw: async () => kept(await openRawClient(path)),
		async session(content) {
			const number = ++sessionCount;
			await mkdir(join(home, `p${number}`), { recursive: true });
			const { id } = await sessions.create({
				directory: join(home, `p${number}`),
				requestId: `session-${number}`,
				...(content === undefined ? {} : { content }),
			});
			return String(id);
		},
		id: (session) => Number(session) as ConversationId,
	};
}

const HEALTHY: Health = {
	ok: true,
	disk: { freeBytes: 1e12, state: "ok" },
	database: { bytes: 1, state: "ok", checkedAt: null },
	lastBackupAt: null,
	problems: [],
};

/** Health that is always good; `onAsked` hears of each time it is asked for. */
export function healthyAnd(onAsked: () => void): ServerOptions["health"] {
	return {
		current() {
			onAsked();
			return HEALTHY;
		},
		subscribe: () => () => {},
	};
}

function logInto(lines: LogLine[], test: TestContext): ServerOptions["log"] {
	const at =
		(level: string) =>
		(message: string, fields: object = {}) => {
			lines.push({ level, message, fields });
			if (level === "error") test.diagnostic(`${message} ${inspect(fields)}`);
		};
	return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
