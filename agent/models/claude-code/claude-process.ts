import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { basename } from "node:path";
import type { Tool } from "@earendil-works/pi-ai";
import type { Environment } from "../../platform/environment.ts";
import { type CliLine, readCliLine } from "./cli-lines.ts";
import { claudeEnvironment, commandLine, type Effort } from "./command-line.ts";
import { type AnswerControl, initializeRequest } from "./control.ts";
import { killGroup } from "./kill-group.ts";
import { splitLines } from "./split-lines.ts";

/** What decides everything a process is started with; it can't be changed later. */
export type ProcessPlan = {
	readonly executable: string;
	readonly environment: Environment;
	readonly cwd: string;
	readonly model: string;
	readonly effort: Effort;
	readonly systemPrompt: string;
	readonly tools: readonly Tool[];
};

/** What the CLI says of itself when it is told how it is used. */
export type Initialized = {
	readonly claude_code_version?: string;
	readonly hooks_applied?: boolean;
	readonly models?: readonly CliModel[];
};

export type CliModel = {
	readonly value: string;
	readonly resolvedModel?: string;
	readonly displayName?: string;
	readonly supportedEffortLevels?: readonly string[];
	readonly supportsThinkingOff?: boolean;
	/** Shown, but not for this account to use. */
	readonly disabled?: boolean;
};

export type Listener = {
	/** Every line but the answer to `initialize`; a control request has been answered already. */
	line(line: CliLine): void;
	/** The process ended, or never began; `why` is a sentence. Never after `kill()`. */
	ended(why: string): void;
};

export type ClaudeProcess = {
	/** Undefined when it could not be started. */
	readonly pid: number | undefined;
	/** Resolves with what the CLI says of itself; never settles when the process ends before. */
	readonly initialized: Promise<Initialized>;
	/** Fingerprints of the lines of the conversation that it knows. */
	seen: readonly string[];
	send(line: object): void;
	/** The one that hears of it from now on. */
	listen(listener: Listener | undefined): void;
	isRunning(): boolean;
	/** SIGKILL, always, with all that it started: on SIGTERM the CLI sends its request once more. */
	kill(): void;
	/**
	 * Lets one that was asked nothing end by itself, which takes away what it made; kills it when that takes long.
	 * Resolves when it has ended.
	 */
	dismiss(): Promise<void>;
};

/** How long a dismissed process may take to end, in ms. */
const DISMISSAL_MS = 5_000;

/** How much of what the CLI complains of is kept, in characters. */
const COMPLAINT = 2_000;

/**
 * Starts `claude` and tells it how it is used. Its standard input stays open: it ends when it is killed, or when this
 * process ends.
 *
 * @param onEnd called once when it has ended, also after `kill()`
 */
export function startClaude(plan: ProcessPlan, answer: AnswerControl, onEnd: () => void): ClaudeProcess {
	const child = spawn(plan.executable, commandLine(plan.model, plan.effort), {
		cwd: plan.cwd,
		env: claudeEnvironment(plan.environment, plan.effort),
		// A group of its own, to be killed as one.
		detached: true,
		stdio: ["pipe", "pipe", "pipe"],
	});
	const initialized = Promise.withResolvers<Initialized>();
	const ended = Promise.withResolvers<void>();
	let listener: Listener | undefined;
	let state: "running" | "killed" | "ended" = "running";
	let complaint = "";
	let socket: string | undefined;

	const send = (line: object) => {
		if (state === "running") child.stdin.write(`${JSON.stringify(line)}\n`);
	};
	const initialize = initializeRequest(plan.systemPrompt, plan.tools);
	const hear = (line: CliLine) => {
		if (line.type === "control_response") {
			const { response } = line;
			if (response.request_id !== initialize.request_id) return;
			if (response.subtype === "success") initialized.resolve(response.response as Initialized);
			else
				listener?.ended(
					`Claude Code refused how it is used here: ${response.error ?? "it did not say why"}.`,
				);
			return;
		}
		if (line.type === "control_request") {
			send({
				type: "control_response",
				response: {
					subtype: "success",
					request_id: line.request_id,
					response: answer(line.request, plan.tools),
				},
			});
		}
		if (line.type === "system") socket = line.messaging_socket_path ?? socket;
		listener?.line(line);
	};
	const end = (why: string) => {
		const wasRunning = state === "running";
		if (state === "ended") return;
		state = "ended";
		// Killed, it leaves its socket behind.
		if (socket !== undefined && basename(socket) === `${child.pid}.sock`) rmSync(socket, { force: true });
		ended.resolve();
		onEnd();
		if (wasRunning) listener?.ended(why);
	};

	child.stdout.on(
		"data",
		splitLines((text) => {
			const line = state === "running" ? readCliLine(text) : undefined;
			if (line !== undefined) hear(line);
		}),
	);
	child.stderr.on("data", (bytes: Buffer) => {
		complaint = (complaint + bytes.toString("utf8")).slice(-COMPLAINT);
	});
	// Written to a process that has just ended: its end is what tells.
	child.stdin.on("error", () => {});
	child.on("error", (error) => end(`Claude Code could not be started (${error.message}).`));
	child.on("close", (code, signal) => {
		const said = complaint.trim();
		end(
			`Claude Code ended in the middle (${signal ?? `code ${code}`}): connection lost.${said === "" ? "" : ` It said: ${said}`}`,
		);
	});
	send(initialize);
	const kill = () => {
		if (state !== "running") return;
		state = "killed";
		listener = undefined;
		if (child.pid !== undefined) killGroup(child.pid);
	};

	return {
		pid: child.pid,
		initialized: initialized.promise,
		seen: [],
		send,
		listen(next) {
			listener = next;
		},
		isRunning: () => state === "running",
		kill,
		dismiss() {
			listener = undefined;
			child.stdin.end();
			const timer = setTimeout(kill, DISMISSAL_MS);
			return ended.promise.finally(() => clearTimeout(timer));
		},
	};
}
