import { userInfo } from "node:os";
import { delimiter, isAbsolute } from "node:path";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string>>;

/** Variables that speak to this process alone and would change what a person's own programs do. */
const OURS = new Set([
	"ELECTRON_RUN_AS_NODE",
	"NODE_OPTIONS",
	"NODE_CHANNEL_FD",
	"NODE_CHANNEL_SERIALIZATION_MODE",
	"NODE_TEST_CONTEXT",
	"OUTLIVE_CALL",
	"OUTLIVE_CRASH_AT",
	"OUTLIVE_RESOLVING_ENVIRONMENT",
]);

/** What `npm run` adds to the environment beside its `npm_…` variables. */
const NPM = new Set(["INIT_CWD", "NODE", "COLOR"]);

/**
 * The environment without what Outlive, Electron, Node's test runner and `npm run` put there for this process. When npm
 * started the process, the folders it put in front of PATH go too: a project's commands must find the person's
 * `node`, not the one that runs Outlive.
 */
export function personsEnvironment(env: NodeJS.ProcessEnv): Environment {
	const underNpm = env.npm_execpath !== undefined || env.npm_lifecycle_event !== undefined;
	const kept: Record<string, string> = {};
	for (const [name, value] of Object.entries(env)) {
		if (value === undefined || OURS.has(name)) continue;
		if (underNpm && (name.startsWith("npm_") || NPM.has(name))) continue;
		kept[name] = underNpm && name === "PATH" ? withoutNpmFolders(value) : value;
	}
	return kept;
}

function withoutNpmFolders(path: string): string {
	const folders = path.split(delimiter);
	const first = folders.findIndex((folder) => !/\/node_modules\/\.bin$|\/node-gyp-bin$/.test(folder));
	return folders.slice(first === -1 ? folders.length : first).join(delimiter);
}

/**
 * The environment with the folders where programs usually are at the end of PATH, those that it lacks. For when the
 * login shell's own PATH can't be had: a program started from the Finder has almost none.
 */
export function withUsualPlaces(environment: Environment, platform: NodeJS.Platform): Environment {
	const home = homeOf(environment);
	const usual = [
		`${home}/.local/bin`,
		`${home}/bin`,
		...(platform === "darwin" ? ["/opt/homebrew/bin", "/opt/homebrew/sbin"] : []),
		"/usr/local/bin",
		"/usr/local/sbin",
		"/usr/bin",
		"/bin",
		"/usr/sbin",
		"/sbin",
		...(platform === "linux" ? ["/snap/bin"] : []),
	];
	const given = (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
	return { ...environment, PATH: [...new Set([...given, ...usual])].join(delimiter) };
}

/** The home folder: `HOME` if it is an absolute path, else what the system has for this user, else `/`. */
export function homeOf(env: NodeJS.ProcessEnv): string {
	if (env.HOME !== undefined && isAbsolute(env.HOME)) return env.HOME;
	try {
		return userInfo().homedir || "/";
	} catch {
		// The system has no record of this user (a bare container).
		return "/";
	}
}
