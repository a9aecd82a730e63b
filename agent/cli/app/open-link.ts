import { spawn } from "node:child_process";
import { once } from "node:events";
import { rememberedApp } from "../../platform/app-command.ts";
import type { Place } from "../place.ts";

/** An app that is open hands the link over and ends; one that still runs after this long is the app itself. */
const HANDED_OVER_MS = 5_000;

/**
 * Brings a link of the app's own up in it: in the one that ran last on this data directory, open or not, else in what
 * the system has for such links.
 *
 * @returns false when there is no app, or it could not be started
 */
export async function openLink(link: string, place: Place): Promise<boolean> {
	const known = rememberedApp(place.data.appCommand);
	if (known !== undefined) {
		const [binary, ...args] = known;
		return isStarted(binary, [...args, link], appEnvironment(place));
	}
	if (process.platform === "darwin") return isStarted("open", [link], place.env);
	// xdg-open would hand a link that nobody takes to a browser.
	const handler = await output("xdg-mime", ["query", "default", "x-scheme-handler/outlive"], place.env);
	return handler.trim() !== "" && isStarted("xdg-open", [link], place.env);
}

/** The installed command line is the app's own binary, run as Node: the app itself must not be. */
function appEnvironment({ env, data }: Place): NodeJS.ProcessEnv {
	const { ELECTRON_RUN_AS_NODE: _, NODE_OPTIONS: __, ...rest } = env;
	return { ...rest, OUTLIVE_DATA_DIR: data.directory };
}

async function isStarted(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
	const child = spawn(program, args, { env, stdio: "ignore", detached: true });
	child.unref();
	let timer: NodeJS.Timeout | undefined;
	const goesOn = new Promise<number>((resolve) => {
		timer = setTimeout(() => resolve(0), HANDED_OVER_MS);
	});
	try {
		const ended = once(child, "exit").then(([code]) => code as number | null);
		return (await Promise.race([ended, goesOn])) === 0;
	} catch {
		// There is no such program.
		return false;
	} finally {
		clearTimeout(timer);
	}
}

async function output(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
	const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "ignore"] });
	let said = "";
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		said += text;
	});
	try {
		await once(child, "close");
		return said;
	} catch {
		// Not installed: then no desktop is, whose links it would know.
		return "";
	}
}
