import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { homeOf } from "../../platform/environment.ts";
import type { KeyPlace } from "./key-store.ts";

/** Where the key of one provider is. */
export type KeptKey =
	| { readonly in: Exclude<KeyPlace, "file"> }
	| { readonly in: "file"; readonly key: string };

export type KeyFile = {
	readonly path: string;
	/** What is said of a provider; undefined when nothing is, or the file isn't there or isn't readable as one. */
	read(provider: string): Promise<KeptKey | undefined>;
	/** Says it of a provider. Throws `KeyNotKept`, with the file as it was. */
	write(provider: string, kept: KeptKey): Promise<void>;
};

/** A key could not be kept; the message says why and what to do, and holds no key. */
export class KeyNotKept extends Error {
	override readonly name = "KeyNotKept";
}

/** Nothing was kept: only a file is left to keep a key in, and nobody has agreed to one. */
export class KeyNeedsFile extends Error {
	override readonly name = "KeyNeedsFile";
}

/**
 * The folder for keys: `outlive` where the system has a user's configuration. It isn't the data directory: that one is
 * copied, backed up and sent along with reports.
 */
export function keyDirectory(env: NodeJS.ProcessEnv): string {
	const xdg = env.XDG_CONFIG_HOME;
	return join(xdg && isAbsolute(xdg) ? xdg : join(homeOf(env), ".config"), "outlive");
}

/** `keys.json` in `directory`, readable by its owner only. */
export function createKeyFile(directory: string): KeyFile {
	const path = join(directory, "keys.json");
	return {
		path,
		async read(provider) {
			// What can't be read holds no key that could be used.
			const all = await readAll(path).catch(() => undefined);
			return all?.[provider];
		},
		async write(provider, kept) {
			const all = { ...(await readAll(path)), [provider]: kept };
			await replace(directory, path, `${JSON.stringify(all, undefined, "\t")}\n`);
		},
	};
}

/** Throws `KeyNotKept` when there is a file that can't be read: writing it anew would lose the keys in it. */
async function readAll(path: string): Promise<Record<string, KeptKey>> {
	let text: string;
	try {
		text = await readFile(path, "utf8");
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT") return {};
		throw new KeyNotKept(
			`The file of keys, ${path}, can't be read (${code}). See that it is yours and readable, then try again.`,
		);
	}
	const all = parsed(text);
	if (all !== undefined) return all;
	throw new KeyNotKept(`The file of keys, ${path}, is damaged. Move it away, then enter the keys again.`);
}

/** The parser's own error would quote the text, and with it keys. */
function parsed(text: string): Record<string, KeptKey> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
		return Object.fromEntries(Object.entries(value).filter((entry) => isKept(entry[1])));
	} catch {
		return undefined;
	}
}

function isKept(value: unknown): value is KeptKey {
	if (typeof value !== "object" || value === null || !("in" in value)) return false;
	if (value.in === "file") return "key" in value && typeof value.key === "string";
	return value.in === "keychain" || value.in === "secret-service";
}

async function replace(directory: string, path: string, text: string): Promise<void> {
	const fresh = `${path}.${randomBytes(6).toString("hex")}`;
	try {
		await mkdir(directory, { recursive: true, mode: 0o700 });
		if (((await stat(directory)).mode & 0o022) !== 0)
			throw new KeyNotKept(
				`The folder for keys, ${directory}, can be changed by other users. Run: chmod 700 ${JSON.stringify(directory)}`,
			);
		const file = await open(fresh, "wx", 0o600);
		try {
			await file.writeFile(text);
			await file.sync();
		} finally {
			await file.close();
		}
		await rename(fresh, path);
	} catch (error) {
		await rm(fresh, { force: true });
		if (error instanceof KeyNotKept) throw error;
		const { code } = error as NodeJS.ErrnoException;
		throw new KeyNotKept(
			`The key can't be kept in ${path} (${code}). See that you can write there, then enter it again.`,
		);
	}
}
