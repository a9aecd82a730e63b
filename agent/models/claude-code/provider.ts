import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { totalmem } from "node:os";
import {
	type Api,
	clampThinkingLevel,
	createAssistantMessageEventStream,
	createProvider,
	getCurrentSystemPrompt,
	getCurrentTools,
	type Model,
	type Provider,
	type SimpleStreamOptions,
	type TranscriptContext,
} from "@earendil-works/pi-ai";
import { type Clock, systemClock } from "../../durable/clock.ts";
import type { RequestOptions } from "../../durable/types/request-options.ts";
import { type Environment, homeOf } from "../../platform/environment.ts";
import { findExecutable } from "../../platform/find-executable.ts";
import { secretsIn, withoutSecretsIn } from "../secrets.ts";
import { type ClaudeProcess, type ProcessPlan, startClaude } from "./claude-process.ts";
import type { Effort } from "./command-line.ts";
import { type AnswerControl, answerControl } from "./control.ts";
import { conversationLines, fingerprint } from "./conversation-lines.ts";
import { exchange } from "./exchange.ts";
import { CLAUDE_CODE, KNOWN_MODELS } from "./models.ts";
import { createPidRecords } from "./pid-records.ts";
import { createPool, mostRunning } from "./pool.ts";
import { createResponse, type Response } from "./response.ts";
import { type Ending, failed } from "./turn.ts";

export type ClaudeCodeOptions = {
	/** The environment of the person's login shell. */
	readonly environment: () => Promise<Environment>;
	/** Where the running processes are recorded, for the next agent; undefined: nowhere. */
	readonly records?: string;
	/** How many processes may wait for their next message. */
	readonly warmLimit?: () => number;
	/** How many may answer at once; one per GB of memory, at least two, unless given. */
	readonly runningLimit?: () => number;
	readonly clock?: Clock;
	/** How long a process may be silent while it answers, in ms. */
	readonly silenceMs?: number;
	/** How the CLI's own requests are answered; only a test gives another. */
	readonly answer?: AnswerControl;
	/** Told of each process that is started. */
	readonly onStart?: (plan: ProcessPlan) => void;
};

export type ClaudeCodeProvider = Provider<Api> & {
	/** Also names these models, beside those that are always known. */
	learn(models: readonly Model<Api>[]): void;
	/** Kills every process. */
	close(): void;
};

const WARM_LIMIT = 3;
const SILENCE_MS = 5 * 60_000;
/** The provider `claude-code`: the person's own `claude` as a model, and nothing more. */
export function createClaudeCodeProvider(options: ClaudeCodeOptions): ClaudeCodeProvider {
	const { environment, clock = systemClock, silenceMs = SILENCE_MS, answer = answerControl } = options;
	const runningLimit = options.runningLimit ?? (() => mostRunning(totalmem()));
	const pool = createPool(options.warmLimit ?? (() => WARM_LIMIT), runningLimit);
	const records = createPidRecords(options.records);
	const all = new Set<ClaudeProcess>();
	let models = KNOWN_MODELS;
	let leftoversEnded = false;

	const start = (plan: ProcessPlan): ClaudeProcess => {
		if (!leftoversEnded) records.endLeftovers();
		leftoversEnded = true;
		let forget = () => {};
		const process = startClaude(plan, answer, () => {
			all.delete(process);
			forget();
		});
		all.add(process);
		if (process.pid !== undefined) forget = records.record(process.pid);
		options.onStart?.(plan);
		return process;
	};

	const plan = async (model: Model<Api>, context: TranscriptContext, options?: SimpleStreamOptions) => {
		const persons = await environment();
		const executable = await findExecutable("claude", persons);
		const cwd = folderOf(options) ?? homeOf(persons);
		if (executable === undefined) return failed(NOT_INSTALLED);
		if (!isFolder(cwd))
			return failed(`The session's folder ${cwd} is missing. Bring it back, then send the message again.`);
		const { messages } = context;
		return {
			...{ kind: "plan" as const, executable, environment: persons, cwd, model: model.id },
			effort: effortOf(model, options),
			systemPrompt: getCurrentSystemPrompt(messages),
			tools: getCurrentTools(messages),
		};
	};

	const respond = async (
		response: Response,
		model: Model<Api>,
		context: TranscriptContext,
		options: RequestOptions | undefined,
	): Promise<Ending> => {
		const lines = conversationLines(
			context.messages.filter(({ role }) => role !== "system"),
			model,
		);
		const question = lines.at(-1);
		if (question?.type !== "user") return failed("There is no message to answer: the last one is an answer.");
		const before = lines.slice(0, -1);
		const planned = await plan(model, context, options);
		if (planned.kind !== "plan") return planned;
		const key = createHash("sha256")
			.update(JSON.stringify([options?.sessionId, planned]))
			.digest("base64");

		const known = before.map(fingerprint);
		const warm = pool.take(key);
		const fits = warm?.seen.length === known.length && known.every((each, at) => warm.seen[at] === each);
		if (!fits) warm?.kill();
		const process = warm !== undefined && fits ? warm : start(planned);
		const ending = await exchange({
			process,
			replay: fits ? [] : before,
			question,
			response,
			offered: (name) => planned.tools.some((tool) => tool.name === name),
			clock,
			silenceMs,
			signal: options?.signal,
		});
		const [said] = conversationLines([{ ...response.message, stopReason: "stop" }], model);
		if (
			ending.kind === "answered" &&
			ending.reusable &&
			said !== undefined &&
			options?.sessionId !== undefined &&
			// Whoever wants nothing kept for the next request has none that fits this process: so it is with a summary.
			options.cacheRetention !== "none"
		) {
			process.seen = [...known, fingerprint(question), fingerprint(said)];
			pool.keep(key, process);
		} else process.kill();
		return ending;
	};

	const inPlace = async (...[response, model, context, options]: Parameters<typeof respond>) => {
		const leave = await pool.place(options?.signal, options?.onSlotWait);
		try {
			return await respond(response, model, context, options);
		} finally {
			leave();
		}
	};

	/** An API may repeat the key that it refuses, and `claude` hands its words on. */
	const withoutOwnSecrets = async (ending: Ending): Promise<Ending> =>
		ending.kind === "failed"
			? failed(withoutSecretsIn(ending.error, secretsIn(await environment())))
			: ending;

	const stream = (model: Model<Api>, context: TranscriptContext, options?: RequestOptions) => {
		const events = createAssistantMessageEventStream();
		const response = createResponse(model, events);
		void inPlace(response, model, context, options)
			.catch((error): Ending => {
				if (options?.signal?.aborted) return { kind: "aborted" };
				return failed(error instanceof Error ? error.message : String(error));
			})
			.then(withoutOwnSecrets)
			.then((ending) => {
				const { message } = response;
				if (ending.kind === "answered") {
					if (!response.hasStarted()) events.push({ type: "start", partial: message });
					message.stopReason = ending.reason;
					events.push({ type: "done", reason: ending.reason, message });
				} else {
					const reason = ending.kind === "aborted" ? "aborted" : "error";
					message.stopReason = reason;
					message.errorMessage = ending.kind === "aborted" ? "Request was aborted" : ending.error;
					events.push({ type: "error", reason, error: message });
				}
			});
		return events;
	};

	const provider = createProvider<Api>({
		id: CLAUDE_CODE,
		name: "Claude Code",
		auth: {
			apiKey: { name: "Claude Code's own login", resolve: async () => ({ auth: {}, source: "Claude Code" }) },
		},
		models: KNOWN_MODELS,
		api: { stream, streamSimple: stream },
	});
	return {
		...provider,
		getModels: () => models,
		getAllModels: () => models,
		learn(learned) {
			const ids = new Set(learned.map(({ id }) => id));
			models = [...learned, ...KNOWN_MODELS.filter(({ id }) => !ids.has(id))];
		},
		close() {
			pool.close();
			for (const process of all) process.kill();
		},
	};
}

const NOT_INSTALLED =
	"Claude Code is not installed: no claude was found on the PATH of your login shell. Install it, or choose another model, and send the message again.";

/** The session's folder, which the harness hands over beside the request. */
function folderOf(options: SimpleStreamOptions | undefined): string | undefined {
	const cwd = options?.metadata?.cwd;
	return typeof cwd === "string" ? cwd : undefined;
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** No level asked for means no thinking, where the model can do without. */
function effortOf(model: Model<Api>, options: SimpleStreamOptions | undefined): Effort {
	const level = clampThinkingLevel(model, options?.reasoning ?? "off");
	if (options?.reasoning === undefined) return level === "off" ? "off" : undefined;
	return model.thinkingLevelMap?.[level] ?? level;
}
