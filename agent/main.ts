import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { createNodeCommands, NodeExecutionEnv } from "./durable/env/node.ts";
import { createNodeFileSystem } from "./durable/env/node-file-system.ts";
import { currentIdentity, isAlive, type ProcessIdentity } from "./durable/env/process-identity.ts";
import { protectFiles } from "./durable/env/protected-files.ts";
import { currentRoute } from "./durable/env/route.ts";
import {
	createNetwork,
	createRegistry,
	Harness,
	StorageFull,
	StorageOwned,
	systemClock,
} from "./durable/index.ts";
import { ensureBallast, releaseBallast } from "./durable/storage/ballast.ts";
import { acquireOwner, type OwnerLock, ownerOf } from "./durable/storage/owner-lock.ts";
import { STORE_FORMAT } from "./durable/storage/sqlite/node.ts";
import { loadScaling } from "./images/fit-image.ts";
import { limitsOf } from "./images/image-limits.ts";
import { createCatalog } from "./models/catalog.ts";
import { catalogEntries } from "./models/entries.ts";
import { keyDirectory } from "./models/keys/key-file.ts";
import { createKeyStore } from "./models/keys/key-store.ts";
import { lookFor } from "./models/look-for.ts";
import { type DataPaths, dataDirectory, prepareDataDirectory } from "./platform/data-directory.ts";
import { homeOf } from "./platform/environment.ts";
import { createLog } from "./platform/log.ts";
import { loginShellEnvironment } from "./platform/login-shell-environment.ts";
import { openSettings } from "./platform/settings.ts";
import { createBackups } from "./process/backups.ts";
import { createDisk } from "./process/disk.ts";
import { createEnding, farewell, patience } from "./process/ending.ts";
import { createHandover } from "./process/handover.ts";
import { harnessSettings, subagentLimits } from "./process/harness-settings.ts";
import { createHealthSignal, currentHealth } from "./process/health.ts";
import { awaitIncumbent } from "./process/incumbent.ts";
import { awakeCommand, createKeepAwake } from "./process/keep-awake.ts";
import { beginRun, describeLastRun } from "./process/last-run.ts";
import { openStore } from "./process/open-store.ts";
import { readReplace, succeed } from "./process/succession.ts";
import type { Welcome } from "./protocol/index.ts";
import { createServer } from "./server/server.ts";
import { historyOf } from "./sessions/history.ts";
import { untilNoneRuns } from "./sessions/none-running.ts";
import { startSessions } from "./sessions/open-sessions.ts";
import { createProjectContext } from "./sessions/project-context/project-context.ts";
import type { SessionActivity } from "./sessions/service.ts";
import { createSpending } from "./sessions/spending/spending.ts";
import { callOutputReader, createBackgroundCommands } from "./tools/bash/index.ts";
import { CodingTools } from "./tools/index.ts";
import { createSearchHistory } from "./tools/search-history.ts";
import { createSubagents } from "./tools/subagent/index.ts";
import { VERSION } from "./version.ts";

/**
 * The agent: the one process that owns every session of a data directory. This file is the story of its start.
 */

/** How long an agent that finds the directory taken waits for the other one's welcome, in ms. */
const INCUMBENT_MS = 20_000;
/** The exit code of an agent that was to replace one that does not give way. */
const REFUSED = 5;

const startedAt = Date.now();
const now = () => Date.now();

// What runs here belongs to the agent alone; what it starts for the person gets the person's own umask back.
const umask = process.umask(0o077);
// Set by the app to run its own binary as Node; a program that a session starts must not inherit it.
delete process.env.ELECTRON_RUN_AS_NODE;
delete process.env.NODE_OPTIONS;

const paths = prepareDataDirectory(dataDirectory(process.env, process.platform));
const home = homeOf(process.env);
const owner = await own(paths);
if (owner !== undefined) await serve(owner);

/** The lock first: only its holder touches the store or the socket. */
async function own(at: DataPaths): Promise<OwnerLock | undefined> {
	const replace = readReplace(process.argv.slice(2));
	return replace === undefined ? ownFree(at) : ownInstead(at, replace);
}

/** Owns a directory that nobody owns; where somebody does, it says who and ends. */
async function ownFree(at: DataPaths): Promise<OwnerLock | undefined> {
	try {
		return await lock(at);
	} catch (error) {
		if (!(error instanceof StorageOwned)) throw error;
		const welcome = await awaitIncumbent(at.socket, VERSION, INCUMBENT_MS);
		if (welcome === undefined) return endUnstarted(error.message);
		return endBeside(welcome);
	}
}

/** Owns it in the place of whoever does now, who is asked to hand over. */
async function ownInstead(at: DataPaths, when: "idle" | "now"): Promise<OwnerLock | undefined> {
	const outcome = await succeed({
		socket: at.socket,
		version: VERSION,
		storeFormat: STORE_FORMAT,
		when,
		tryLock: () =>
			lock(at).catch((error) => {
				if (error instanceof StorageOwned) return undefined;
				throw error;
			}),
		async endOwner() {
			const owner = await ownerOf<ProcessIdentity>(at.directory, isCertainlyAlive);
			if (owner !== undefined) process.kill(owner.pid, "SIGTERM");
			return owner !== undefined;
		},
	});
	switch (outcome.kind) {
		case "owner":
			return outcome.lock;
		case "running":
			return endBeside(outcome.welcome);
		case "refused":
			return endUnstarted(outcome.message, REFUSED);
		case "unanswered":
			return endUnstarted(outcome.message);
	}
}

function lock(at: DataPaths): Promise<OwnerLock> {
	return acquireOwner<ProcessIdentity>(at.directory, currentIdentity(), {
		waitMs: 0,
		isAlive: isCertainlyAlive,
	});
}

function isCertainlyAlive(identity: ProcessIdentity): boolean {
	return isAlive(identity) === "alive";
}

function endBeside({ pid, agent }: Welcome): undefined {
	process.stdout.write(`An agent is running already: process ${pid}, version ${agent}.\n`);
}

function endUnstarted(why: string, code = 1): undefined {
	process.stderr.write(`${why}\n`);
	process.exitCode = code;
}

async function serve(owned: OwnerLock): Promise<void> {
	const log = createLog({ path: paths.log });
	const report = (error: unknown) => log.error(messageOf(error), { stack: stackOf(error) });
	const run = beginRun(paths.directory, { pid: process.pid, startedAt, version: VERSION }, now);
	log.info(`The agent ${VERSION} starts as process ${process.pid}.`);
	const lastEnd = describeLastRun(run.last);
	if (lastEnd !== undefined) log.info(lastEnd);

	const settings = openSettings({ path: paths.settings, onProblem: (problem) => log.warn(String(problem)) });
	const applyLogLevel = () => log.setLevel(settings.current().logLevel);
	applyLogLevel();
	settings.subscribe(applyLogLevel);

	// Asked at once and waited for only where it is needed: a slow rc file must not hold up the start.
	const shell = loginShellEnvironment();
	const environment = async () => (await shell).environment;
	const keys = createKeyStore({ directory: keyDirectory(process.env), environment });
	const catalog = createCatalog({
		environment,
		entries: catalogEntries({
			lookFor: lookFor(process.env),
			api: { environment, keys },
			local: { addresses: () => settings.current().localServers },
			claudeCode: {
				environment,
				records: paths.claudeCode,
				warmLimit: () => settings.current()["claudeCode.warmProcesses"],
			},
		}),
	});

	const store = await openStore(paths.store, paths.backups, now);
	for (const problem of store.problems) log.error(problem.message);
	const signal = createHealthSignal();
	const disk = createDisk({
		directory: paths.directory,
		ensureBallast,
		releaseBallast,
		report: (message, error) =>
			log.warn(message, { error: error === undefined ? undefined : messageOf(error) }),
		changed: signal.changed,
	});
	const backups = createBackups({
		directory: paths.backups,
		backup: (directory, keep) => store.storage.backupTo(directory, keep),
		now,
		report: (message, error) => log.error(message, { error: messageOf(error) }),
		changed: signal.changed,
	});
	const health = {
		current: () =>
			currentHealth({
				store: paths.store,
				disk,
				backups,
				atStart: store.problems,
				restored: store.restored,
				now,
			}),
		subscribe: signal.subscribe,
	};

	const commands = createNodeCommands({
		directory: paths.runs,
		environment,
		umask,
		outputLimit: settings.current().spoolLimitBytes,
	});
	// Closing one of these in this process would silently drop the locks on it.
	const protect = protectFiles(
		[paths.ownerLock, paths.store, `${paths.store}-wal`, `${paths.store}-shm`],
		"That file belongs to Outlive's own store, which only the agent may open.",
	);
	const network = createNetwork({ clock: systemClock, route: currentRoute });
	const registry = createRegistry();
	registry.install(CodingTools);
	registry.install(createSubagents({ source: () => harness, limits: () => subagentLimits(settings) }));
	registry.install(createSearchHistory(() => historyOf(harness, sessions)));
	registry.install(createProjectContext());
	const spending = createSpending({ projectOf: (root) => sessions.get(root)?.record.directory });
	const harness: Harness = await Harness.open(
		store.storage,
		{
			models: catalog.models,
			registry,
			settings: harnessSettings(settings),
			network,
			account: spending.account,
			env: ({ cwd }) => new NodeExecutionEnv({ cwd: cwd ?? home, umask, environment, commands, protect }),
			onReport(error) {
				if (error instanceof StorageFull) void disk.foundFull().catch(report);
				report(error);
			},
		},
		BACKGROUND_CONTEXT,
	);
	const background = createBackgroundCommands({ harness, commands });
	const sessions = startSessions({
		harness,
		home,
		defaultModel: catalog.chooseModel,
		modelAvailable: catalog.isListed,
		imageLimits: (model) => limitsOf(model && catalog.models.getModel(model.provider, model.modelId)),
		allowedRoots: () => settings.current().allowedRoots,
		endBackground: background.endAll,
		report,
	});
	const awake = createKeepAwake({
		isWanted: () => settings.current().keepAwake,
		isAtWork: () => sessions.list().some(({ activity }) => isAtWork(activity)),
		command: awakeCommand(process.platform, process.pid),
		report: (message) => log.warn(message),
	});
	sessions.subscribe(awake.update);
	settings.subscribe(awake.update);
	const listening = Promise.withResolvers<void>();
	// Providers are many and load in one go, before anything asks for a model: after the sessions, whose reading lets
	// clients be welcomed in between.
	const ready = listening.promise.then(async () => {
		await sessions.complete;
		await spending.follow(harness);
		await catalog.load();
	});
	void ready.then(loadScaling).catch(report);
	const server = createServer({
		harness,
		sessions,
		spending,
		ready,
		catalog,
		agent: { version: VERSION, startedAt, dataDirectory: paths.directory },
		health,
		files: createNodeFileSystem({ cwd: home, umask, protect }),
		log,
		maxRetries: () => settings.current()["retry.maxRetries"],
		shutdown: (when) => ending.ask(when),
		handOver: (to, signal) => handover.giveWay(to, signal),
		endsWhen: () => ending.when ?? (handover.isWanted ? "idle" : undefined),
		readOutput: callOutputReader(commands),
		stopBackground: background.end,
	});

	const ending = createEnding({
		idle: () => harness.waitForIdle(BACKGROUND_CONTEXT),
		hold: server.hold,
		release: server.release,
		close: [
			{ name: "the intake", run: (end) => server.stopIntake(farewell(end)) },
			// Watched to the last: clients see how what runs comes to its end.
			{
				name: "what runs",
				run: (end) => (end.kind === "crash" ? undefined : harness.drain(patience(end), BACKGROUND_CONTEXT)),
			},
			{
				name: "the sessions",
				run: () => {
					spending.close();
					sessions.close();
				},
			},
			{ name: "the harness", run: () => harness.close(BACKGROUND_CONTEXT) },
			{ name: "the socket", run: () => server.close() },
			{
				name: "the rest",
				run: () => {
					network.close();
					awake.close();
					catalog.close();
					settings.close();
					backups.close();
					disk.close();
				},
			},
		],
		report: (message, error) =>
			log.error(message, { error: error === undefined ? undefined : messageOf(error) }),
		exit(end) {
			const crashed = end.kind === "crash";
			run.ended(crashed ? { kind: "crashed", reason: messageOf(end.error) } : { kind: "clean" });
			log.info(crashed ? "The agent ends after an error." : "The agent ends.");
			log.close();
			owned.release();
			process.exit(crashed ? 1 : 0);
		},
	});
	const handover = createHandover({
		version: VERSION,
		storeFormat: STORE_FORMAT,
		nothingRuns: (signal) => untilNoneRuns(sessions, signal),
		say: log.info,
		end(to) {
			if (!ending.ending) log.info(`The agent hands over to version ${to}.`);
			void ending.now({ kind: "handover", to });
		},
	});
	for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
		process.on(name, () => void ending.now({ kind: "signal", name }));
	process.on("uncaughtException", (error) => {
		report(error);
		void ending.now({ kind: "crash", error });
	});
	process.on("unhandledRejection", report);
	// The store failed in a way that leaves open what was stored: a new process must read it again.
	harness.subscribeClose(() => {
		if (!ending.ending)
			void ending.now({ kind: "crash", error: new Error("The store failed; see the log.") });
	});

	// Whoever waits for the agent is welcomed while the sessions are still being read.
	await server.listen(paths.socket);
	listening.resolve();
	await ready;
	if (ending.ending) return;
	// Without room for the marks the work goes on all the same.
	await sessions.markRestarts().catch(report);
	harness.resume();
	// Looked at now, so that the first session needn't wait for it.
	void catalog.list();
	backups.start();
	void ensureBallast(paths.directory).catch(report);
	log.info(`The agent listens at ${paths.socket}.`);
}

/** A wait for a limit or the network may take hours, in which a machine may as well sleep. */
function isAtWork(activity: SessionActivity): boolean {
	return (
		activity.kind === "running" ||
		(activity.kind === "waiting" && (activity.for === "retry" || activity.for === "slot"))
	);
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function stackOf(error: unknown): string | undefined {
	return error instanceof Error ? error.stack : undefined;
}
