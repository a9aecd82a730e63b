import type { InlineConfig, Plugin } from "vite";

/** A piece of the agent's code, and what stands there instead. */
type Change = { readonly file: RegExp; readonly code: string; readonly instead: string };

/** Guards that the driver must miss. */
export const GUARDS = {
	/** A command that is started anew may still be started by its old runner, too. */
	claim: {
		file: /durable\/env\/runner\/node-commands\.ts$/,
		code: 'if (withdrawStart(directory)) return "withdrawn";',
		instead: 'return "withdrawn";',
	},
	/** It isn't known that a call has begun. */
	intent: {
		file: /durable\/tool\/.*\.ts$/,
		code: 'return { status: "running", checkpoint };',
		instead: "return undefined;",
	},
	/** A message that comes again is a new one. */
	request: {
		file: /sessions\/requests\.ts$/,
		code: "if (stored.result !== undefined) return { ...stored.result };",
		instead: "",
	},
	/** A call that begins again has another subagent do it. */
	subagent: {
		file: /tools\/subagent\/tool\.ts$/,
		code: "if (before?.conversation !== undefined) return { conversation: before.conversation };",
		instead: "",
	},
} as const satisfies Record<string, Change>;

export type Guard = keyof typeof GUARDS;

/** A runner on a machine so slow that an agent can die and come back before it starts its command. */
const SLOW_RUNNER: Change = {
	file: /durable\/env\/runner\/start\.ts$/,
	code: "read_order && write_identity && take_start || exit",
	instead: "sleep 0.4; read_order && write_identity && take_start || exit",
};

/** The agent's bundle, changed. The build fails when a piece of code that is to be changed isn't there any more. */
export function changedBundle(
	bundle: InlineConfig,
	{ without, slowRunner }: { readonly without: Guard | undefined; readonly slowRunner: boolean },
): InlineConfig {
	const changes = [...(without === undefined ? [] : [GUARDS[without]]), ...(slowRunner ? [SLOW_RUNNER] : [])];
	return { ...bundle, plugins: [...(bundle.plugins ?? []), ...changes.map(changing)] };
}

function changing({ file, code, instead }: Change): Plugin {
	let changed = 0;
	return {
		name: "outlive:chaos",
		enforce: "pre",
		transform(text, id) {
			if (!file.test(id) || !text.includes(code)) return undefined;
			changed++;
			return { code: text.replace(code, instead), map: null };
		},
		buildEnd() {
			if (changed !== 1) this.error(`The code was found ${changed} times: ${code}`);
		},
	};
}
