import type { InlineConfig } from "vite";

const STATED = /^export const VERSION = "[^"]*";$/m;

/** The agent's bundle as if it were of another release, for tests of what follows an update. */
export function withVersion(version: string, bundle: InlineConfig): InlineConfig {
	let changed = 0;
	const plugin = {
		name: "outlive-with-version",
		enforce: "pre" as const,
		transform(code: string, id: string) {
			if (!id.endsWith("/agent/version.ts") || !STATED.test(code)) return undefined;
			changed++;
			return { code: code.replace(STATED, `export const VERSION = ${JSON.stringify(version)};`), map: null };
		},
		buildEnd() {
			if (changed !== 1) throw new Error(`agent/version.ts states its version ${changed} times, not once.`);
		},
	};
	return { ...bundle, plugins: [...(bundle.plugins ?? []), plugin] };
}
