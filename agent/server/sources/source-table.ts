import type { WireError } from "../../protocol/index.ts";
import type { Source } from "./source.ts";

/** A source as its maker hands it out. */
export type OpenSource = { readonly source: Source; end(error: WireError): void; close(): void };

/** A source, held: it lives until its last holder lets go. */
export type HeldSource = { readonly source: Source; release(): void };

/** One source for each key, shared by all who ask for it at the same time. */
export type SourceTable<K> = {
	/** Rejects as opening it does. */
	hold(key: K): Promise<HeldSource>;
	/** Ends every source for its watchers. */
	endAll(error: WireError): void;
	readonly size: number;
};

export function createSourceTable<K>(
	nameOf: (key: K) => string,
	open: (key: K) => Promise<OpenSource>,
): SourceTable<K> {
	type Entry = { readonly opening: Promise<OpenSource>; opened: OpenSource | undefined; holders: number };
	const entries = new Map<string, Entry>();

	function letGo(name: string, entry: Entry): void {
		entry.holders--;
		if (entry.holders > 0) return;
		if (entries.get(name) === entry) entries.delete(name);
		entry.opened?.close();
	}

	return {
		async hold(key) {
			const name = nameOf(key);
			const entry = entries.get(name) ?? { opening: open(key), opened: undefined, holders: 0 };
			entries.set(name, entry);
			entry.holders++;
			try {
				entry.opened = await entry.opening;
			} catch (error) {
				letGo(name, entry);
				throw error;
			}
			let held = true;
			return {
				source: entry.opened.source,
				release() {
					if (held) letGo(name, entry);
					held = false;
				},
			};
		},
		endAll(error) {
			for (const { opened } of entries.values()) opened?.end(error);
		},
		get size() {
			return entries.size;
		},
	};
}
