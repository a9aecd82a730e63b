import type { InlineConfig, Plugin } from "vite";

/** A guard that the driver must miss: the piece of code that it is, and what stands there without it. */
type Removal = { readonly file: RegExp; readonly code: string; readonly instead: string };

export const GUARDS = {
	/** A command that was claimed for a new attempt may still be started by its old runner. */
	claim: {
		file: /durable\/env\/runner\/runner\.sh/,
		code: "set -o noclobber",
		instead: ":",
	},
	/** The call of a tool isn't known to have begun. */
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
} as const satisfies Record<string, Removal>;

export type Guard = keyof typeof GUARDS;

/** The agent's bundle without one guard. The build fails when the code to be taken out isn't there any more. */
export function withoutGuard(bundle: InlineConfig, guard: Guard): InlineConfig {
	return { ...bundle, plugins: [removal(GUARDS[guard]), ...(bundle.plugins ?? [])] };
}

function removal({ file, code, instead }: Removal): Plugin {
	let removed = 0;
	return {
		name: "outlive:without-guard",
		enforce: "pre",
		transform(text, id) {
			if (!file.test(id) || !text.includes(code)) return undefined;
			removed++;
			return { code: text.replace(code, instead), map: null };
		},
		buildEnd() {
			if (removed !== 1) this.error(`The guard's code was found ${removed} times: ${code}`);
		},
	};
}
