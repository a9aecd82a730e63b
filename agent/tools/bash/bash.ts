import { randomUUID } from "node:crypto";
import { num, obj, opt, type Static, str } from "@earendil-works/pi-schema";
import { commandIntent } from "../../durable/env/command-intent.ts";
import { defineTool, type ToolRegistration } from "../../durable/types/tools.ts";
import { environmentOf } from "../environment.ts";
import { repairArguments } from "../repair.ts";
import { grouped } from "../sizes.ts";
import { firstAttempt, latestAttempt, nextAttempt } from "./attempts.ts";
import type { BashDetails } from "./details.ts";
import { MOST_CHARACTERS } from "./output-view.ts";
import { plainCommand } from "./plain-command.ts";
import { interrupted } from "./result.ts";
import { beginStop, finishStop, stoppingOf } from "./stopping.ts";
import { watchCommand } from "./watch-command.ts";

const parameters = obj({
	command: str({ description: "What bash runs.", minLength: 1 }),
	timeout: opt(num({ description: "Seconds after which it is ended. Default: none.", exclusiveMinimum: 0 })),
	description: opt(str({ description: "What the command does, in a few words, for the person watching." })),
});

export type BashParameters = typeof parameters;
type BashArguments = Static<BashParameters>;

export type BashToolOptions = {
	/** Runs before each command, in the same shell. */
	readonly commandPrefix?: string;
};

/** This process, as the store tells it from the one that adopts the command next. */
const PROCESS = randomUUID();

/**
 * `bash`: a command in a runner of its own, which lives on when the agent doesn't. In an environment without such
 * commands it runs one that ends with the agent.
 */
export function createBashTool({
	commandPrefix,
}: BashToolOptions = {}): ToolRegistration<BashParameters, BashDetails> {
	const whole = ({ command }: BashArguments) =>
		commandPrefix === undefined ? command : `${commandPrefix}\n${command}`;
	return defineTool<BashParameters, BashDetails>({
		name: "bash",
		description: `Run a command in bash, in the working directory. Nothing is kept between calls: no variables, no cd. Standard input is empty and there is no terminal, so use options that ask nothing. Standard output and standard error come together; of more than ${grouped(MOST_CHARACTERS)} characters you get the beginning and the end. The call ends with the shell: what it leaves in the background goes on and is named.`,
		parameters,
		replay: "unsafe",
		// The view is within its own limit, in characters; these never cut it again.
		outputLimits: { maxBytes: 4 * MOST_CHARACTERS, maxLines: 2 * MOST_CHARACTERS, retain: "tail" },
		prepareArguments: repairArguments(parameters, { cmd: "command", script: "command" }),
		intent: () => commandIntent(),

		async execute(args, api, context) {
			const env = environmentOf(api);
			const { commands } = env;
			if (commands === undefined)
				return plainCommand(env, { command: whole(args), timeout: args.timeout }, api, context);
			const run = firstAttempt(api);
			await commands.start(run, { command: whole(args), cwd: env.cwd }, context);
			return watchCommand({ api, commands, timeout: args.timeout }, run, context);
		},

		async recover(args, api, context) {
			const env = environmentOf(api);
			const { commands } = env;
			if (commands === undefined) return undefined;
			const call = { api, commands, timeout: args.timeout };
			const run = await latestAttempt(api, context);
			const stopping = await stoppingOf(api, context);
			if (stopping !== undefined) return finishStop(call, run, stopping, context);
			switch (await commands.withdraw(run, context)) {
				case "started": {
					// So that the store sees progress in a process that took over and is ended again.
					const adopt = async () => void (await api.memo(`adopted:${PROCESS}`, true, context));
					return watchCommand(call, run, context, adopt);
				}
				case "unproven":
					return interrupted(await commands.window(run, {}, context), run);
				case "withdrawn": {
					const next = await nextAttempt(api, run, context);
					await commands.start(next, { command: whole(args), cwd: env.cwd }, context);
					return watchCommand(call, next, context);
				}
			}
		},

		async stop(args, api, context) {
			const { commands } = environmentOf(api);
			if (commands === undefined) return undefined;
			const run = await latestAttempt(api, context);
			return beginStop({ api, commands, timeout: args.timeout }, run, "aborted", context);
		},
	});
}

export const bashTool = createBashTool();
