import type { Environment } from "../../platform/environment.ts";
import { createKeyFile, KeyNeedsFile } from "./key-file.ts";
import { keychain } from "./keychain.ts";
import { secretService } from "./secret-service.ts";
import type { Vault } from "./vault.ts";

/** Where a key is kept. */
export type KeyPlace = "keychain" | "secret-service" | "file";

/** Keys that were entered once. They leave it only towards the provider they are for. */
export type KeyStore = {
	/** The key of a provider; undefined when none was entered, or its vault no longer gives it out. */
	read(provider: string): Promise<string | undefined>;
	/**
	 * Keeps a key in place of the one before. Throws `KeyNotKept` or `KeyNeedsFile`, with what was kept unchanged.
	 *
	 * @param mayUseFile whether the person has agreed to a file, where no vault keeps it; one that holds the provider's
	 * key already was agreed to then
	 */
	write(provider: string, key: string, mayUseFile: boolean): Promise<KeyPlace>;
};

/**
 * Keys where the agent can read them with no app running: the macOS Keychain, Secret Service where it runs, else,
 * when the person agrees, a file of mode 0600. Which provider has its key where stands in that file too.
 *
 * @param directory for the file, absolute; made with mode 0700 when the first key is kept
 */
export function createKeyStore(options: {
	readonly directory: string;
	readonly environment: () => Promise<Environment>;
	readonly platform?: NodeJS.Platform;
}): KeyStore {
	const { directory, environment, platform = process.platform } = options;
	const file = createKeyFile(directory);
	const vault: Vault | undefined =
		platform === "darwin"
			? keychain(environment)
			: platform === "linux"
				? secretService(environment)
				: undefined;
	/** What a vault gave out, since each request would start a program otherwise. */
	const known = new Map<string, string>();
	let writing: Promise<unknown> = Promise.resolve();

	const write = async (provider: string, key: string, mayUseFile: boolean): Promise<KeyPlace> => {
		// Read back, since a locked or half-working vault may say yes and keep nothing.
		if (vault !== undefined && (await vault.write(provider, key)) && (await vault.read(provider)) === key) {
			await file.write(provider, { in: vault.place });
			known.set(provider, key);
			return vault.place;
		}
		if (!mayUseFile && (await file.read(provider))?.in !== "file")
			throw new KeyNeedsFile(
				`No keychain or secret service here keeps the key. Agree to the file ${file.path}, which only you can read, and enter it again.`,
			);
		await file.write(provider, { in: "file", key });
		known.delete(provider);
		return "file";
	};
	return {
		async read(provider) {
			const kept = await file.read(provider);
			if (kept === undefined) return undefined;
			if (kept.in === "file") return kept.key;
			if (kept.in !== vault?.place) return undefined;
			const key = known.get(provider) ?? (await vault.read(provider));
			if (key !== undefined) known.set(provider, key);
			return key;
		},
		write(provider, key, mayUseFile) {
			const written = writing.then(() => write(provider, key, mayUseFile));
			// Only the order counts here; who asked hears of the failure.
			writing = written.catch(() => {});
			return written;
		},
	};
}
