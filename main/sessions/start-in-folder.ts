import { realpath, stat } from "node:fs/promises";
import { basename, isAbsolute } from "node:path";
import type { ReconnectingClient } from "../../agent/protocol/index.ts";

export type FolderHost = {
	readonly client: Pick<ReconnectingClient, "ready" | "request">;
	/** The home folder; what is in it is allowed. */
	readonly home: string;
	/** Asks whether sessions may work in a folder outside the allowed ones. */
	confirmFolder(directory: string): Promise<boolean>;
	/** Tells a person something in a title and a sentence. */
	say(title: string, body: string): void;
	/** A new id for each call. */
	newRequestId(): string;
};

/**
 * Starts a session in each folder of a drop. What can't be one is refused with a word why; the others go on.
 *
 * @returns the sessions that were started
 */
export async function startInFolders(paths: readonly string[], host: FolderHost): Promise<string[]> {
	const sessions: string[] = [];
	for (const path of paths) {
		const refusal = await whyNoFolder(path);
		if (refusal !== undefined) {
			host.say("No session was started", refusal);
			continue;
		}
		try {
			const directory = await allowFolder(path, host);
			if (directory === undefined) continue;
			await host.client.ready();
			const created = await host.client.request("sessions.create", {
				directory,
				requestId: host.newRequestId(),
			});
			sessions.push(created.session);
		} catch (error) {
			host.say("No session was started", (error as Error).message);
		}
	}
	return sessions;
}

/**
 * Makes sure that sessions may work in a folder a person has named: at once where they may already, else after a
 * confirming click.
 *
 * @returns the folder with its links resolved, or undefined when the person said no; rejects with the agent's sentence
 *   for a folder that nobody can allow
 */
export async function allowFolder(path: string, host: FolderHost): Promise<string | undefined> {
	const directory = await realpath(path);
	const home = await realpath(host.home);
	await host.client.ready();
	const { roots } = await host.client.request("projects.list", {});
	const isInside = [home, ...roots].some((root) => directory.startsWith(root === "/" ? "//" : `${root}/`));
	if (isInside) return directory;
	// A root is allowed without a question; the home folder itself nobody can allow, as the agent will say.
	const isKnown = directory === home || roots.includes(directory);
	if (!isKnown && !(await host.confirmFolder(directory))) return undefined;
	await host.client.request("projects.allow", { directory });
	return directory;
}

/** Why no session can start at a path, as a sentence; undefined when it is a folder. */
async function whyNoFolder(path: string): Promise<string | undefined> {
	const name = basename(path);
	if (!isAbsolute(path)) return `“${name}” is not a full path of a folder.`;
	try {
		if ((await stat(path)).isDirectory()) return undefined;
	} catch (error) {
		return `“${name}” can’t be opened (${(error as NodeJS.ErrnoException).code ?? "unknown"}).`;
	}
	return `“${name}” is a file. Drop the folder it is in.`;
}
