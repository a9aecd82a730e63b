import type { KeyPlace } from "./key-store.ts";

/** The system's own place for secrets. */
export type Vault = {
	readonly place: Exclude<KeyPlace, "file">;
	/** Undefined when it has none, or isn't there. */
	read(provider: string): Promise<string | undefined>;
	/** Whether it says that it kept the key; false when it isn't there. */
	write(provider: string, key: string): Promise<boolean>;
};

/** The name under which keys stand in a vault. */
export const SERVICE = "Outlive";
