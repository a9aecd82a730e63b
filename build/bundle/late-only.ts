import type { Plugin, Rolldown } from "vite";

/** The SDKs of providers: large, and of no use before the first request to such a provider. */
export const LATE_PACKAGES = ["@anthropic-ai/sdk", "openai", "@google/genai", "@aws-sdk", "@smithy"];

/**
 * Fails a build in which a package that must be loaded late would be loaded at the start: the bundler may place
 * what two chunks share inside one of them, and then the start loads all of it.
 *
 * @param packages names, or scopes, as they stand in node_modules
 */
export function lateOnly(packages: readonly string[]): Plugin {
	return {
		name: "outlive-late-only",
		generateBundle(_options, bundle) {
			const eager = eagerModules(bundle);
			const found = packages.filter((name) => eager.some((id) => id.includes(`/node_modules/${name}/`)));
			if (found.length === 0) return;
			this.error(
				`The bundle would load ${found.join(", ")} at the start. Import it with import() only, ` +
					"and see build/bundle/README.md about what shares a chunk with it.",
			);
		},
	};
}

/** Every module in the chunks that the entries load before any `import()` runs. */
function eagerModules(bundle: Rolldown.OutputBundle): string[] {
	const chunks = new Map(
		Object.values(bundle).flatMap((output) =>
			output.type === "chunk" ? [[output.fileName, output] as const] : [],
		),
	);
	const loaded = new Set<Rolldown.OutputChunk>();
	const load = (chunk: Rolldown.OutputChunk | undefined): void => {
		if (chunk === undefined || loaded.has(chunk)) return;
		loaded.add(chunk);
		for (const name of chunk.imports) load(chunks.get(name));
	};
	for (const chunk of chunks.values()) if (chunk.isEntry) load(chunk);
	return [...loaded].flatMap((chunk) => chunk.moduleIds);
}
