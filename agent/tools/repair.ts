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

/**
 * A tool's `prepareArguments`: turns near misses into what its schema asks for and leaves everything else for the
 * validation that follows. Repaired are: JSON in a string (one level), a wrapped object, other names of a parameter
 * (`aliases`, and the usual ones of `path`), a number or boolean in a string and the other way round, `null` for a
 * parameter left out, and parameters that the tool doesn't have.
 */
export function repairArguments<S extends Schema>(
	parameters: S,
	aliases: Readonly<Record<string, string>> = {},
): (args: unknown) => Static<S> {
	const properties = recordOf(parameters.properties) ?? {};
	const names = { ...pathAliases, ...aliases };
	return (args) => {
		const given = unwrap(args, { ...properties, ...names });
		if (given === undefined) return args as Static<S>;
		const repaired: Record<string, unknown> = {};
		for (const [key, value] of Object.entries(given)) {
			const name = key in properties ? key : names[key as keyof typeof names];
			if (name === undefined || !(name in properties) || value === null || value === undefined) continue;
			if (name !== key && name in given) continue;
			repaired[name] = repairValue(value, recordOf(properties[name]) ?? {});
		}
		return repaired as Static<S>;
	};
}

/** The object that holds the arguments themselves; undefined when there is none. */
function unwrap(args: unknown, known: JsonRecord): JsonRecord | undefined {
	const parsed = typeof args === "string" ? parseJson(args) : args;
	const value = Array.isArray(parsed) && parsed.length === 1 ? parsed[0] : parsed;
	const given = recordOf(value);
	if (given === undefined) return undefined;
	const keys = Object.keys(given);
	const wrapper = keys.find((key) => wrappers.includes(key) && !(key in known));
	if (wrapper === undefined || keys.some((key) => key in known)) return given;
	const inner = given[wrapper];
	return recordOf(typeof inner === "string" ? parseJson(inner) : inner) ?? given;
}

function repairValue(value: unknown, schema: JsonRecord): unknown {
	const type = schema.type;
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
