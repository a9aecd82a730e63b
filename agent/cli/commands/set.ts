import type { ThinkingLevel } from "../../protocol/index.ts";
import { wrongUsage } from "../cli-error.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { listedSession } from "../session/listed-session.ts";
import { configure } from "./configure.ts";

type Values = {
	readonly model: string | undefined;
	readonly thinking: ThinkingLevel | "default" | undefined;
	readonly tools: string | undefined;
	readonly mode: "read_only" | "ask_first" | "run_freely" | undefined;
};

/** `set`: what answers in a session, and what it may do, from its next request on. */
export async function run({
	positionals,
	options,
	place,
	output,
}: Call<{ readonly SESSION: string }, Values>): Promise<ExitCode> {
	const { model, thinking, tools, mode } = options;
	if (model === undefined && thinking === undefined && tools === undefined && mode === undefined)
		throw wrongUsage(
			"outlive set needs what to set: --model P/M, --thinking LEVEL, --tools A,B or --mode MODE.",
		);
	const session = await configure(place, positionals.SESSION, {
		...(model === undefined ? {} : { model: orDefault(model) }),
		...(thinking === undefined ? {} : { thinkingLevel: thinking === "default" ? null : thinking }),
		...(tools === undefined ? {} : { tools: tools === "default" ? null : namesIn(tools) }),
		...(mode === undefined ? {} : { mode }),
	});
	output.result(
		listedSession(session),
		() => `${session.id} answers with ${session.model ?? "no model yet"}.`,
	);
	return 0;
}

function orDefault(value: string): string | null {
	return value === "default" ? null : value;
}

function namesIn(list: string): string[] {
	return list
		.split(",")
		.map((name) => name.trim())
		.filter((name) => name !== "");
}
