import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".png": "image/png",
	".woff2": "font/woff2",
};

export type StaticFile = { readonly type: string; readonly bytes: Buffer };

/** One of the window's files by its path in the address; undefined for anything else. */
export async function readStaticFile(folder: string, path: string): Promise<StaticFile | undefined> {
	const name = path === "/" ? "index.html" : normalize(path).replace(/^\/+/, "");
	const type = TYPES[extname(name)];
	if (type === undefined || name.startsWith("..") || name.includes("\0")) return undefined;
	try {
		return { type, bytes: await readFile(join(folder, name)) };
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT" || code === "EISDIR" || code === "ENOTDIR") return undefined;
		throw error;
	}
}
