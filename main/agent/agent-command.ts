import { join } from "node:path";
import type { AgentCommand } from "../../agent/platform/start-agent.ts";
import { type AppCopy, keepCopy, removeOldCopies } from "./app-copy.ts";

/** Where this app is. */
export type AppPlace = {
	/** Whether it is an installed app; else it runs from a checkout's `out/app`. */
	readonly isPackaged: boolean;
	/** The folder or archive with the app's scripts. */
	readonly appPath: string;
	/** The app's own binary. */
	readonly binary: string;
	readonly version: string;
	readonly platform: NodeJS.Platform;
	readonly env: NodeJS.ProcessEnv;
};

/** The app runs where it must not start an agent from; the message says what to do. */
export class AppPlaceRefused extends Error {
	override readonly name = "AppPlaceRefused";
}

/**
 * What to start the agent with. A checkout runs its sources on its own Node, as its command line does. An installed app
 * runs a copy of itself, which this makes when it isn't there yet.
 *
 * Throws `AppPlaceRefused` for an app that macOS runs from a hidden, read-only place.
 */
export async function agentCommand(app: AppPlace, dataDirectory: string): Promise<AgentCommand> {
	if (!app.isPackaged) {
		const checkout = join(app.appPath, "..", "..");
		return {
			binary: join(checkout, "node_modules", ".bin", "node"),
			program: app.env.OUTLIVE_AGENT_PROGRAM ?? join(checkout, "agent", "main.ts"),
			isElectron: false,
		};
	}
	if (isTranslocated(app.binary))
		throw new AppPlaceRefused(
			"macOS runs Outlive from a temporary place, because it was not moved after the download. " +
				"Move Outlive to the Applications folder and open it there.",
		);
	const wanted = copyOf(app, dataDirectory);
	const copy = await keepCopy(wanted);
	// Beside the start: what can't be removed now is looked at again with the next version.
	removeOldCopies(wanted.folder, copy.binary).catch(() => {});
	return { ...copy, isElectron: true };
}

/** Where macOS puts an app that was opened where it was downloaded. */
export function isTranslocated(binary: string): boolean {
	return binary.includes("/AppTranslocation/");
}

function copyOf(app: AppPlace, dataDirectory: string): AppCopy {
	const bundle = /^.*?\.app(?=\/)/.exec(app.binary)?.[0];
	return {
		from: app.platform === "darwin" && bundle !== undefined ? bundle : join(app.binary, ".."),
		binary: app.binary,
		program: join(app.appPath, "agent.js"),
		version: app.version,
		archive: app.appPath,
		folder: join(dataDirectory, "versions"),
	};
}
