import { text } from "./failures.ts";
import type { StoreFile, StoreFolder } from "./folder.ts";
import type { Format, FormatMigration, StoredLine } from "./format.ts";
import { readLog } from "./read-log.ts";
import { putInPlace, writeNext } from "./write-log.ts";

const COPY_CHUNK = 1024 * 1024;

/**
 * Brings an older store to this format: first a copy of it beside it, then all of it written anew and put in its place
 * in one step. When it throws, the store is as it was.
 */
export function migrate(
	folder: StoreFolder,
	file: StoreFile,
	headerEnd: number,
	version: number,
	format: Format,
): void {
	const steps = path(version, format);
	const copy = copyBefore(folder, file, format.version);
	try {
		// The numbers are in the last marker, which has to be known first.
		const { marker } = readLog(file, headerEnd, () => {});
		const written = writeNext(folder, format.version, marker?.next ?? 0, ({ add }) => {
			readLog(file, headerEnd, (batch) => {
				for (const line of batch)
					for (const { head, value } of migrated(line, steps)) add(head, JSON.stringify(value));
			});
		});
		written.file.close();
		putInPlace(folder);
	} catch (error) {
		throw new Error(
			`The store in ${folder.path} could not be brought from format ${version} to ${format.version} (${text(error)}). It is unchanged, and a copy of it is ${copy}.`,
			{ cause: error },
		);
	}
}

function migrated(line: StoredLine, steps: readonly FormatMigration[]): readonly StoredLine[] {
	return steps.reduce<readonly StoredLine[]>((lines, step) => lines.flatMap(step.up), [line]);
}

function path(version: number, format: Format): FormatMigration[] {
	const steps: FormatMigration[] = [];
	for (let at = version; at < format.version; at++) {
		const step = format.migrations.find(({ from }) => from === at);
		if (step === undefined)
			throw new Error(
				`The store has format ${version}, which is too old for this program (it knows no way from ${at} to ${at + 1}). Nothing was changed; open it once with an earlier version.`,
			);
		steps.push(step);
	}
	return steps;
}

function copyBefore(folder: StoreFolder, file: StoreFile, version: number): string {
	const time = new Date(Date.now()).toISOString().replaceAll(/[:.]/g, "-");
	const name = `store-${time}-before-v${version}.jsonl`;
	const partial = `${name}.partial`;
	const copy = folder.open(partial, "create");
	try {
		const bytes = new Uint8Array(COPY_CHUNK);
		for (let offset = 0, count = file.read(0, bytes); count > 0; count = file.read(offset, bytes)) {
			copy.write(offset, bytes.subarray(0, count));
			offset += count;
		}
		copy.sync();
	} finally {
		copy.close();
	}
	folder.rename(partial, name);
	folder.sync();
	return `${folder.path}/${name}`;
}
