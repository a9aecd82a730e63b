import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { Plugin } from "vite";

const READS_TEXT = /\breadFileSync\(new URL\("(\.\.?\/[^"]+)", import\.meta\.url\), "utf8"\)/g;

/**
 * Puts a text file that our sources read from beside themselves into the script: nothing lies beside the bundle, and
 * what is in it stays when the app is moved or replaced. Only this form is known, on one line:
 *
 *     readFileSync(new URL("./runner.sh", import.meta.url), "utf8")
 *
 * A build fails in which one of our sources asks for its own place in another way, since the bundle has another place.
 */
export function embedText(): Plugin {
	return {
		name: "outlive-embed-text",
		enforce: "pre",
		transform(code, id) {
			const ours = isAbsolute(id) && !id.includes("/node_modules/");
			if (!ours || !code.includes("import.meta.")) return undefined;
			const embedded = code.replace(READS_TEXT, (_, path: string) => {
				const file = join(dirname(id), path);
				this.addWatchFile(file);
				return JSON.stringify(readFileSync(file, "utf8"));
			});
			const left = /\bimport\.meta\.(url|dirname|filename)\b/.exec(embedded);
			if (left !== null)
				this.error(
					`${id} uses ${left[0]}, which is another place in the bundle. Read text beside it with ` +
						'readFileSync(new URL("./NAME", import.meta.url), "utf8"), which the bundle embeds.',
				);
			// No line is added or taken away, so the source map stays as good as it was.
			return { code: embedded, map: null };
		},
	};
}
