import { type ChildProcess, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import type { Context } from "@earendil-works/chord";
import type { Clock } from "../clock.ts";
import { type ExecOptions, type ExecResult, ExecTimeout, type OutputStream } from "./execution-env.ts";
import { errorCode, sendSignal } from "./processes/signal.ts";

export type ExecPlace = {
	readonly cwd: string;
	readonly shell: string;
	readonly environment: Readonly<Record<string, string>>;
	readonly clock: Clock;
	/** From TERM to KILL. */
	readonly killAfterMs: number;
};

/** How long output is waited for after the program's end: what is in the pipe comes at once, the rest is held by others. */
const DRAIN_MS = 100;

export type Execution = {
	readonly result: Promise<ExecResult>;
	/** Ends it; `result` then rejects with the reason, once it is over. */
	end(reason: unknown): void;
};

/** Runs a program in a process group of its own. Throws when it can't be started at all. */
export function execute(
	command: string | readonly string[],
	options: ExecOptions,
	place: ExecPlace,
	context: Context,
): Execution {
	context.abortSignal?.throwIfAborted();
	const cwd = options.cwd ?? place.cwd;
	if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
		throw new Error(`The command was not run: there is no folder ${cwd}. Make it, or choose another.`);
	const [program, ...args] = typeof command === "string" ? [place.shell, "-c", "--", command] : command;
	if (program === undefined) throw new Error("The command was not run: it is empty.");

	const child = spawn(program, args, {
		cwd,
		env: { ...place.environment, ...options.env },
		detached: true,
		stdio: ["ignore", "pipe", "pipe"],
	});
	const ending = endingOf(child, place);
	const cancelTimer =
		options.timeout === undefined
			? () => {}
			: place.clock.after(options.timeout * 1000, () => ending.begin(new ExecTimeout(options.timeout!)));
	const aborted = () => ending.begin(context.abortSignal?.reason);
	context.abortSignal?.addEventListener("abort", aborted, { once: true });

	const result = outcomeOf(child, program, place.clock, (text, stream) => {
		if (!ending.begun()) options.onOutput?.(text, context, { stream });
	})
		.then((outcome) => {
			if (!ending.begun()) return outcome;
			throw ending.reason();
		})
		.finally(() => {
			cancelTimer();
			ending.over();
			context.abortSignal?.removeEventListener("abort", aborted);
		});
	return { result, end: ending.begin };
}

function endingOf(child: ChildProcess, { clock, killAfterMs }: ExecPlace) {
	let why: { readonly reason: unknown } | undefined;
	let cancelKill = () => {};
	const signalGroup = (signal: NodeJS.Signals) => {
		if (child.pid !== undefined) sendSignal(-child.pid, signal);
	};
	return {
		begun: () => why !== undefined,
		reason: () => why?.reason,
		begin(reason: unknown): void {
			if (why !== undefined) return;
			why = { reason };
			signalGroup("SIGTERM");
			signalGroup("SIGCONT");
			cancelKill = clock.after(killAfterMs, () => signalGroup("SIGKILL"));
		},
		/** The program has ended: what is left of its group is not asked again. */
		over(): void {
			cancelKill();
			if (why !== undefined) signalGroup("SIGKILL");
		},
	};
}

async function outcomeOf(
	child: ChildProcess,
	program: string,
	clock: Clock,
	onText: (text: string, stream: OutputStream) => void,
): Promise<ExecResult> {
	for (const stream of ["stdout", "stderr"] as const) {
		const decoder = new StringDecoder("utf8");
		child[stream]?.on("data", (bytes: Buffer) => {
			const text = decoder.write(bytes);
			if (text !== "") onText(text, stream);
		});
		child[stream]?.on("close", () => {
			const rest = decoder.end();
			if (rest !== "") onText(rest, stream);
		});
	}
	const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
	const result = await new Promise<ExecResult>((resolve, reject) => {
		child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
		child.once("error", (error) => reject(notStarted(program, error)));
	});
	// Whoever holds the output beyond the program's end doesn't hold up the call.
	const cancel = clock.after(DRAIN_MS, () => {
		child.stdout?.destroy();
		child.stderr?.destroy();
	});
	await closed;
	cancel();
	return result;
}

function notStarted(program: string, error: Error): Error {
	const why = errorCode(error) === "ENOENT" ? "it was not found" : error.message;
	return new Error(`${program} could not be started: ${why}.`, { cause: error });
}
