import { readFile } from "node:fs/promises";
import { protocol } from "electron";
import { PAGE_HEADERS, PAGE_SCHEME, pageFile } from "../windows/page-files.ts";

/** Gives the app's scheme the rights of a secure origin. Before the app is ready. */
export function registerPageScheme(): void {
	protocol.registerSchemesAsPrivileged([
		{ scheme: PAGE_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
	]);
}

/**
 * Serves the app's pages. Once the app is ready.
 *
 * @param root the folder that holds the folders of pages
 */
export function servePages(root: string): void {
	protocol.handle(PAGE_SCHEME, async ({ url }) => {
		const file = pageFile(url, root);
		const bytes = file && (await readFile(file.path).catch(() => undefined));
		if (file === undefined || bytes === undefined)
			return new Response("There is no such page.", { status: 404, headers: { ...PAGE_HEADERS } });
		return new Response(new Uint8Array(bytes), {
			headers: { ...PAGE_HEADERS, "content-type": file.type },
		});
	});
}
