import type { Tables } from "../tables/tables.ts";
import type { StoreFolder } from "./folder.ts";
import { CURRENT_FORMAT } from "./format.ts";
import type { Place } from "./lines.ts";
import type { Log } from "./log.ts";
import { type NextStore, putInPlace, writeNext } from "./write-log.ts";

/**
 * Writes the store anew, without what nobody needs any more, whenever more of its file is given up than kept by at least
 * `least` bytes. A store that can't be written anew (the disk may be full) goes on as it is, and is tried again when it
 * has grown by as much once more. `putInPlace` failing throws: then nobody knows which file is the store.
 */
export function createTidying(folder: StoreFolder, log: Log, tables: Tables<Place>, least: number) {
	let wanted = least;

	function writeAnew(next: number): { store: NextStore; moved: [Place, number][] } | undefined {
		const moved: [Place, number][] = [];
		try {
			const store = writeNext(folder, CURRENT_FORMAT.version, next, ({ add }) => {
				for (const live of tables.live()) {
					if ("text" in live) add(live.head, live.text);
					else moved.push([live.ref, add(live.head, log.read(live.ref))]);
				}
			});
			return { store, moved };
		} catch {
			// Nothing has changed, and a larger file does no harm.
			return undefined;
		}
	}

	return (next: number): void => {
		const { total, live } = log.size();
		if (total - live <= live + wanted) return;
		const written = writeAnew(next);
		wanted = written === undefined ? total - 2 * live + least : least;
		if (written === undefined) return;
		try {
			putInPlace(folder);
		} catch (error) {
			written.store.file.close();
			throw error;
		}
		log.replace(written.store.file, written.store.end, written.moved);
	};
}
