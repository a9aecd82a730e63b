import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keepProcesses, markOfProcesses } from "../../build/test/keep-processes.mjs";
import { endCommandsIn } from "../../build/test/processes.mjs";
import { type Client, connectClient } from "../protocol/index.ts";
import { connectSocket } from "../protocol/node-socket-transport.ts";

/** A data directory, a home and a project folder that nobody else has. */
export type AgentPlace = {
	readonly dataDirectory: string;
	readonly home: string;
	/** A folder in the home, as sessions use one. */
	readonly project: string;
	readonly socket: string;
	/** With what sessions have left running there. */
	remove(): void;
};

/** Makes a place under the system's temporary folder; its paths are short, since sockets' are limited. */
export function makePlace(): AgentPlace {
	// An agent lives on by design, and so do its commands: not those of a test that was killed.
	keepProcesses();
	const root = realpathSync(mkdtempSync(join(tmpdir(), "ol-")));
	const home = join(root, "home");
	const project = join(home, "project");
	const dataDirectory = join(root, "data");
	mkdirSync(project, { recursive: true });
	return {
		dataDirectory,
		home,
		project,
		socket: join(dataDirectory, "agent.sock"),
		remove() {
			endCommandsIn(home);
			rmSync(root, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

export type AgentOptions = {
	/** Over a bare environment: HOME, PATH and the data directory. */
	readonly env?: Readonly<Record<string, string>>;
	/** The agent's entry; default the sources. */
	readonly entry?: string;
	readonly args?: readonly string[];
	/** A command that runs it as its own last arguments, such as one that enters a namespace. */
	readonly through?: readonly string[];
};

export type AgentProcess = {
	readonly pid: number;
	readonly child: ChildProcess;
	/** What it wrote to its standard output and error output so far. */
	output(): string;
	/** Ends it as a crash would, and waits until it is gone. */
	kill(signal?: NodeJS.Signals): Promise<void>;
	/** Resolves with its exit code, or null after a signal. */
	readonly exited: Promise<number | null>;
};

const ENTRY = fileURLToPath(new URL("../main.ts", import.meta.url));

/** Starts an agent as its own process group leader, as the app does. Doesn't wait for its socket. */
export function spawnAgent(place: AgentPlace, options: AgentOptions = {}): AgentProcess {
	const [program, ...args] = [
		...(options.through ?? []),
		...[process.execPath, options.entry ?? ENTRY],
		...(options.args ?? []),
	];
	const child = spawn(program!, args, {
		detached: true,
		cwd: place.home,
		stdio: ["ignore", "pipe", "pipe"],
		env: {
			HOME: place.home,
			PATH: process.env.PATH ?? "/usr/bin:/bin",
			SHELL: "/bin/bash",
			OUTLIVE_DATA_DIR: place.dataDirectory,
			...markOfProcesses(),
			// What this machine happens to have, a logged-in Claude Code or a running Ollama, is no part of a test.
			OUTLIVE_LOOK_FOR: "api",
			...options.env,
		},
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding("utf8").on("data", (text: string) => {
			output = (output + text).slice(-20_000);
		});
	const exited = once(child, "exit").then(([code]) => code as number | null);
	return {
		pid: child.pid!,
		child,
		output: () => output,
		exited,
		async kill(signal = "SIGKILL") {
			if (child.exitCode === null && child.signalCode === null) child.kill(signal);
			await exited;
		},
	};
}

/** Connects once the agent welcomes; rejects with what it wrote when it ends first or says nothing for 20 s. */
export async function connectTo(place: AgentPlace, agent: AgentProcess, name = "test"): Promise<Client> {
	const deadline = performance.now() + 20_000;
	for (;;) {
		try {
			return await connectClient(await connectSocket(place.socket), { client: name });
		} catch (error) {
			if (agent.child.exitCode !== null || performance.now() > deadline)
				throw new Error(`The agent didn't answer. It wrote:\n${agent.output()}\n${logOf(place)}`, {
					cause: error,
				});
		}
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

function logOf(place: AgentPlace): string {
	try {
		return readFileSync(join(place.dataDirectory, "agent.log"), "utf8").slice(-5_000);
	} catch {
		return "(no agent.log)";
	}
}
