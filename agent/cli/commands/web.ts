import { existsSync } from "node:fs";
import { join } from "node:path";
import { CliError, wrongUsage } from "../cli-error.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { untilInterrupted } from "../leaving.ts";
import { openLink } from "../reach/link.ts";
import { openBrowser } from "../web/open-browser.ts";
import { serveWeb, type WebServer } from "../web/web-server.ts";

type Values = { readonly port: string | undefined; readonly open: boolean };

/** `web`: the window in a browser, until Ctrl-C. Sessions go on when it ends. */
export async function run({ place, options, output }: Call<object, Values>): Promise<ExitCode> {
	const port = portOf(options.port);
	const folder = windowFolder(place.env);
	const link = await openLink(place, { start: true });
	link.close();
	const server = await serve(folder, place.data.socket, port);
	const leaving = untilInterrupted();
	try {
		output.result(
			{ url: server.url },
			() => `The window is at ${server.url}\nCtrl-C ends it; sessions go on.`,
		);
		if (options.open && !(await openBrowser(server.url)))
			output.note("No browser could be opened here; open the address yourself.");
		await leaving.interrupted;
		return 0;
	} finally {
		leaving.end();
		await server.close();
	}
}

function portOf(given: string | undefined): number {
	if (given === undefined) return 0;
	const port = Number(given);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw wrongUsage(`--port takes a number from 1 to 65535, not "${given}".`);
}

/** Built beside the sources, or where the app says that its own is. */
function windowFolder(env: NodeJS.ProcessEnv): string {
	const folder = env.OUTLIVE_WINDOW_DIR ?? join(import.meta.dirname, "..", "..", "..", "out", "window");
	if (existsSync(join(folder, "index.html"))) return folder;
	throw new CliError(
		"window_missing",
		3,
		`The window isn't built: there is no ${join(folder, "index.html")}. Build it with: npm run build:window`,
	);
}

async function serve(folder: string, agentSocket: string, port: number): Promise<WebServer> {
	try {
		return await serveWeb({ folder, agentSocket, port });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
		throw new CliError("port_taken", 3, `Port ${port} is taken; choose another one, or leave --port out.`);
	}
}
