import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { pathToFileURL } from "node:url";

/** The name that Electron gives the isolated world of a preload. */
export const PRELOAD_WORLD = "Electron Isolated Context";

/** The names under which a page's isolated world and the stand-in find each other; the world removes the first. */
export type PageNames = { readonly binding: string; readonly deliver: string; readonly secret: string };

const source = (name: string) =>
	stripTypeScriptTypes(readFileSync(new URL(`../worlds/${name}.ts`, import.meta.url), "utf8"));

/** What the page's own world runs before anything of the page. */
export function pageScript({ secret }: PageNames): string {
	return `(() => { ${source("bridge")}; bridge("page", ${JSON.stringify(secret)}); })();`;
}

/** What the isolated world runs: the preload, with what it may require. Only in the main frame. */
export function preloadScript(names: PageNames, preload: string, args: readonly string[]): string {
	const { binding, deliver, secret } = names;
	const { platform, arch, versions } = process;
	const info = { binding, deliver, process: { platform, arch, versions, argv: args, env: {} } };
	return `if (window === top) {
		${source("bridge")}
		${source("preload-world")}
		const { require, process } = preloadWorld(bridge("preload", ${JSON.stringify(secret)}), ${JSON.stringify(info)});
		(function (require, process, module, exports) {${readFileSync(preload, "utf8")}
		}).call(globalThis, require, process, { exports: {} }, {});
	}
	//# sourceURL=${pathToFileURL(preload)}`;
}
