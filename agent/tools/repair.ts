import type { Schema, Static } from "@earendil-works/pi-schema";

type JsonRecord = Readonly<Record<string, unknown>>;

/** Names under which models wrap the arguments they mean to give. */
const wrappers = ["arguments", "args", "input", "parameters", "params", "tool_input"];

const pathAliases = {
	file_path: "path",
	filePath: "path",
	filepath: "path",
	filename: "path",
	file: "path",
} as const;

/** Told each repair, in words for people. */
type Note = (repair: string) => void;

/**
 * A tool's `prepareArguments`: turns near misses into what its schema asks for and leaves everything else for the
 * validation that follows. Repaired are: JSON in a string (one level), a wrapped object, other names of a parameter
 * (`aliases`, and the usual ones of `path`), a number or boolean in a string and the other way round, `null` for a
 * parameter left out, and parameters that the tool doesn't have.
 */
export function repairArguments<S extends Schema>(
	parameters: S,
	aliases: Readonly<Record<string, string>> = {},
): (args: unknown, note?: Note) => Static<S> {
	const properties = recordOf(parameters.properties) ?? {};
	const names = { ...pathAliases, ...aliases };
	return (args, note = () => {}) => {
		const given = unwrap(args, { ...properties, ...names }, note);
		if (given === undefined) return args as Static<S>;
		const repaired: Record<string, unknown> = {};
		for (const [key, value] of Object.entries(given)) {
			const name = key in properties ? key : names[key as keyof typeof names];
			// Null is how strict decoding leaves a parameter out; nothing was wrong with it.
			if (value === null || value === undefined) continue;
			if (name === undefined || !(name in properties)) {
				note(`${named(key)} left out, which the tool doesn't have`);
				continue;
			}
			if (name !== key && name in given) {
				note(`${named(key)} left out beside ${name}`);
				continue;
			}
			if (name !== key) note(`${named(key)} taken for ${name}`);
			repaired[name] = repairValue(name, value, recordOf(properties[name]) ?? {}, note);
		}
		return repaired as Static<S>;
	};
}

/** A model may make up a name of any length. */
const named = (key: string) => (key.length > 40 ? `${key.slice(0, 40).toWellFormed()}…` : key);

/** The object that holds the arguments themselves; undefined when there is none. */
function unwrap(args: unknown, known: JsonRecord, note: Note): JsonRecord | undefined {
	const parsed = typeof args === "string" ? parseJson(args) : args;
	const value = Array.isArray(parsed) && parsed.length === 1 ? parsed[0] : parsed;
	const given = recordOf(value);
	if (given === undefined) return undefined;
	if (typeof args === "string") note("the arguments unpacked from JSON in a string");
	if (value !== parsed) note("the arguments taken out of a list of one");
	const keys = Object.keys(given);
	const wrapper = keys.find((key) => wrappers.includes(key) && !(key in known));
	if (wrapper === undefined || keys.some((key) => key in known)) return given;
	const inner = given[wrapper];
	const unwrapped = recordOf(typeof inner === "string" ? parseJson(inner) : inner);
	if (unwrapped !== undefined) note(`the arguments taken out of ${wrapper}`);
	return unwrapped ?? given;
}

function repairValue(name: string, value: unknown, schema: JsonRecord, note: Note): unknown {
	const repaired = asTyped(value, schema.type);
	if (repaired !== value) note(`${name} turned from a ${typeof value} into ${TYPES[String(schema.type)]}`);
	return repaired;
}

const TYPES: Readonly<Record<string, string>> = {
	string: "a string",
	integer: "a number",
	number: "a number",
	boolean: "a boolean",
	array: "a list",
	object: "an object",
};

function asTyped(value: unknown, type: unknown): unknown {
	if (type === "string" && (typeof value === "number" || typeof value === "boolean")) return String(value);
	if (typeof value !== "string") return value;
	const text = value.trim();
	if ((type === "integer" || type === "number") && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
	if (type === "boolean" && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
	if (type === "array" || type === "object") return parseJson(text) ?? value;
	return value;
}

function recordOf(value: unknown): JsonRecord | undefined {
	return typeof value === "object" && value !== null && !Array.isArray(value)
		? (value as JsonRecord)
		: undefined;
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// Not JSON: a plain string, which the validation judges.
		return undefined;
	}
}
