import { NotRepresented } from "../strict.ts";

/**
 * A value as it goes between processes here, as JSON. What JSON would change throws: Electron's structured clone would
 * not change it. A field that is undefined is left out, which reads the same.
 */
export function plain(value: unknown, where: string): unknown {
	check(value, where);
	return value;
}

function check(value: unknown, where: string): void {
	if (value === null || ["string", "boolean", "undefined"].includes(typeof value)) return;
	if (typeof value === "number" && Number.isFinite(value)) return;
	if (Array.isArray(value)) {
		for (const each of value) {
			if (each === undefined) throw new NotRepresented(`undefined in a list in ${where}`);
			check(each, where);
		}
		return;
	}
	if (typeof value === "object" && [Object.prototype, null].includes(Object.getPrototypeOf(value))) {
		for (const each of Object.values(value)) check(each, where);
		return;
	}
	const name = typeof value === "object" ? value?.constructor?.name : typeof value;
	throw new NotRepresented(`a ${name} in ${where}`);
}
