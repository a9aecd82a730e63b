import { completeFiles } from "../files/complete.ts";
import { listFolders } from "../files/folders.ts";
import { readSessionId } from "../ids.ts";
import { locate } from "../locate.ts";
import type { HandlerDeps, Handlers } from "./handler.ts";

const DEFAULT_MATCHES = 50;

/** Names of files and folders, for `@` in a message and for a folder picker. */
export function fileHandlers(
	deps: HandlerDeps,
): Pick<Handlers, "files.complete" | "folders.list" | "folders.create"> {
	const { files, sessions } = deps;

	async function rootOf(session: string | undefined, directory: string | undefined): Promise<string> {
		if (session === undefined) return files.resolve(directory ?? "~");
		const { session: snapshot } = await locate(deps, readSessionId(session));
		return snapshot.record.directory;
	}

	return {
		"files.complete": async ({ session, directory, query, limit }, { context }) =>
			completeFiles(files, await rootOf(session, directory), query, limit ?? DEFAULT_MATCHES, context),
		"folders.list": ({ directory }, { context }) =>
			listFolders(files, files.resolve(directory ?? "~"), context),
		"folders.create": async ({ directory }, { context }) => {
			const folder = await sessions.newFolder(files.resolve(directory));
			await files.mkdir(folder, context);
			return { directory: folder };
		},
	};
}
