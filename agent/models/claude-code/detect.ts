import { stat } from "node:fs/promises";
import type { Api, Model } from "@earendil-works/pi-ai";
import { type Environment, homeOf } from "../../platform/environment.ts";
import { findExecutable } from "../../platform/find-executable.ts";
import type { Detection } from "../catalog-entry.ts";
import { type Initialized, startClaude } from "./claude-process.ts";
import { claudeEnvironment } from "./command-line.ts";
import { answerControl } from "./control.ts";
import { offeredModels } from "./models.ts";
import { runBriefly } from "./run-briefly.ts";
import { isOlderThan, NEEDED_VERSION, unexpected, versionIn } from "./version.ts";

/** What the last look found, so that the next one starts no process that it need not. */
type Known = { readonly stamp: string; readonly models: readonly Model<Api>[] };

/** How long `claude` may take for one answer about itself, in ms. */
const ANSWER_MS = 5_000;

/**
 * Finds out whether this machine's `claude` can answer: installed, recent enough, logged in, and with which models.
 * It is asked about its login; the login itself is never read.
 *
 * @param onModels told the models that the account can use, the preferred first
 * @returns looks once; bounded in time
 */
export function createDetection(onModels: (models: readonly Model<Api>[]) => void) {
	let known: Known | undefined;

	return async (environment: Environment, signal: AbortSignal): Promise<Detection> => {
		const executable = await findExecutable("claude", environment);
		if (executable === undefined) return missing(NOT_INSTALLED, INSTALL);
		const cwd = homeOf(environment);
		const run = { environment: claudeEnvironment(environment, undefined), cwd, timeoutMs: ANSWER_MS, signal };

		const version = versionIn((await runBriefly(executable, ["--version"], run)) ?? "");
		if (version === undefined)
			return missing(
				`${executable} did not say which version of Claude Code it is.`,
				"Run claude --version to see what is wrong, or reinstall Claude Code.",
			);
		if (isOlderThan(version, NEEDED_VERSION))
			return missing(
				`Claude Code ${version} is installed, but Outlive needs ${NEEDED_VERSION} or newer.`,
				"Run claude update.",
			);

		const status = readStatus(await runBriefly(executable, ["auth", "status"], run));
		if (status === undefined)
			return missing(
				"Claude Code did not say whether it is logged in.",
				"Run claude auth status to see what is wrong.",
			);
		if (!status.loggedIn)
			return missing("Claude Code is installed but not logged in.", "Run claude, then /login.");

		const { mtimeMs, size } = await stat(executable);
		const stamp = JSON.stringify([executable, mtimeMs, size, status]);
		if (known?.stamp !== stamp) {
			const initialized = await initialize(executable, environment, cwd, signal);
			if (initialized === undefined)
				return missing(
					"Claude Code did not say which models it has.",
					"Run claude to see whether it works by itself.",
				);
			if (initialized.hooks_applied !== true)
				return missing(
					unexpected(version, "does not defer tool calls (no hooks_applied)"),
					"Run claude update.",
				);
			known = { stamp, models: offeredModels(initialized.models ?? []) };
			onModels(known.models);
		}
		return { available: true, note: noteOf(status), models: known.models.map(({ id }) => id) };
	};
}

const NOT_INSTALLED = "Claude Code is not installed.";
const INSTALL =
	"Install Claude Code (https://claude.com/claude-code), then run claude and log in with /login.";

const missing = (reason: string, fix: string): Detection => ({ available: false, reason, fix });

/** How the account is reached; nothing that names it. */
type Status = {
	readonly loggedIn: boolean;
	readonly authMethod: string | undefined;
	readonly subscriptionType: string | undefined;
};

function readStatus(printed: string | undefined): Status | undefined {
	try {
		const { loggedIn, authMethod, subscriptionType } = JSON.parse(printed ?? "");
		if (typeof loggedIn !== "boolean") return undefined;
		return { loggedIn, authMethod: textOf(authMethod), subscriptionType: textOf(subscriptionType) };
	} catch {
		// It printed something else, or nothing in time.
		return undefined;
	}
}

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);

function noteOf({ authMethod, subscriptionType }: Status): string {
	if (subscriptionType !== undefined) return `Logged in with a ${subscriptionType} plan`;
	return authMethod === "api_key" ? "Logged in with an API key" : "Logged in";
}

/** Asks a process of its own what it offers; no request is sent to a model. */
async function initialize(
	executable: string,
	environment: Environment,
	cwd: string,
	signal: AbortSignal,
): Promise<Initialized | undefined> {
	const given = Promise.withResolvers<undefined>();
	const giveUp = () => given.resolve(undefined);
	const plan = {
		executable,
		environment,
		cwd,
		model: "default",
		effort: undefined,
		systemPrompt: "",
		tools: [],
	};
	const process = startClaude(plan, answerControl, giveUp);
	const timer = setTimeout(giveUp, ANSWER_MS);
	signal.addEventListener("abort", giveUp, { once: true });
	try {
		return await Promise.race([process.initialized, given.promise]);
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", giveUp);
		await process.dismiss();
	}
}
