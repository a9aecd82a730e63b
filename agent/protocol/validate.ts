import { compile, type ValidationError, type Validator } from "@earendil-works/pi-schema";
import { type WireError, wireError } from "./errors.ts";
import { isJsonObject } from "./json.ts";
import {
	type AvailableMethod,
	isAvailable,
	isMethodName,
	METHODS,
	type Method,
	type MethodName,
	type Params,
} from "./methods.ts";

/** One thing that is wrong with params: the field, as a person would write it, and a clause about it. */
export type Problem = { readonly field: string; readonly message: string };

export type Validation<P> =
	| { readonly ok: true; readonly value: P }
	| { readonly ok: false; readonly problems: readonly Problem[]; readonly message: string };

/** A request whose method this build has and whose params are valid, told apart by `method`. */
export type Call = {
	[M in AvailableMethod]: { readonly method: M; readonly params: Params<M> };
}[AvailableMethod];

export type CheckedRequest =
	| { readonly ok: true; readonly call: Call }
	| { readonly ok: false; readonly error: WireError };

/** A report of wrong params stays short, however much is wrong. */
const MOST_PROBLEMS = 8;
const MOST_QUOTED = 60;

const validators = new Map<MethodName, Validator>();

/**
 * Checks the params of a method: every field known, typed and within its bounds, the ones that exclude each other not
 * together, all text well-formed Unicode. Nothing is converted or filled in; a valid value is returned as it came.
 */
export function validateParams<M extends MethodName>(name: M, params: unknown): Validation<Params<M>> {
	const method: Method = METHODS[name];
	const problems = findProblems(name, method, params);
	if (problems.length === 0) return { ok: true, value: params as Params<M> };
	return { ok: false, problems, message: `${name}: ${sentence(problems)} ${fieldList(method)}` };
}

/**
 * What an agent does first with a request: is there such a method, does this build have it, are its params valid.
 *
 * @returns the call, or the error to answer with: `unknown_method`, `not_yet` or `invalid_params`, whose data is
 * `{ problems: [{ field, message }] }`
 */
export function checkRequest(name: string, params: unknown): CheckedRequest {
	if (!isMethodName(name))
		return refuse(
			wireError("unknown_method", `This agent has no method ${quote(name)}; update it, or check the name.`),
		);
	if (!isAvailable(name))
		return refuse(wireError("not_yet", `This version of the agent can't do ${name} yet; a later one will.`));
	const checked = validateParams(name, params);
	if (!checked.ok)
		return refuse(
			wireError("invalid_params", checked.message, {
				problems: checked.problems.map((each) => ({ ...each })),
			}),
		);
	const early = notYetField(name, checked.value);
	if (early !== undefined)
		return refuse(
			wireError(
				"not_yet",
				`This version of the agent can't set ${quote(early)} in ${name} yet; leave it out.`,
			),
		);
	return { ok: true, call: { method: name, params: checked.value } as Call };
}

function refuse(error: WireError): CheckedRequest {
	return { ok: false, error };
}

function notYetField(name: MethodName, params: object): string | undefined {
	const method: Method = METHODS[name];
	return method.flags.notYetFields?.find((field) => Object.hasOwn(params, field));
}

function findProblems(name: MethodName, method: Method, params: unknown): Problem[] {
	const validator = validatorOf(name, method);
	if (!validator.check(params)) {
		const found: Problem[] = [];
		for (const error of validator.errors(params)) {
			const problem = explain(name, method, error);
			// One field can fail several rules; its one description says them all.
			if (!found.some((each) => each.field === problem.field)) found.push(problem);
			if (found.length === MOST_PROBLEMS) break;
		}
		return found;
	}
	if (!isJsonObject(params)) return [];
	return [
		...combinationProblems(method, params),
		...imageProblems(params.content),
		...unicodeProblems(params),
	].slice(0, MOST_PROBLEMS);
}

function validatorOf(name: MethodName, method: Method): Validator {
	let validator = validators.get(name);
	if (validator === undefined) {
		validator = compile(method.params);
		validators.set(name, validator);
	}
	return validator;
}

function explain(name: MethodName, method: Method, error: ValidationError): Problem {
	if (error.path === "") return { field: "params", message: "params must be a JSON object" };
	const path = error.path.slice(1).split("/").map(unescapePointer);
	const field = fieldName(path);
	if (error.keyword === "required") return { field, message: `${quote(field)} is missing` };
	if (error.keyword === "additionalProperties")
		return { field, message: `${quote(field)} is not a field of ${name}` };
	const words = descriptionAt(method.params, path) ?? error.message.replace(/^expected /, "");
	return { field, message: `${quote(field)} must be ${words}` };
}

/** The words of the schema for what stands at a path; of a union, of the first branch that has some. */
function descriptionAt(schema: unknown, path: readonly string[]): string | undefined {
	if (!isJsonObject(schema)) return undefined;
	const [segment, ...rest] = path;
	if (segment === undefined) return typeof schema.description === "string" ? schema.description : undefined;
	if (Array.isArray(schema.anyOf)) {
		for (const branch of schema.anyOf) {
			const found = descriptionAt(branch, path);
			if (found !== undefined) return found;
		}
	}
	const child = isJsonObject(schema.properties) ? schema.properties[segment] : schema.items;
	return descriptionAt(child, rest);
}

function unescapePointer(segment: string): string {
	return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** `content`, `0`, `text` → `content[0].text`; a long made-up name is shortened. */
function fieldName(path: readonly string[]): string {
	return shorten(pathText(path));
}

function pathText(path: readonly string[]): string {
	return path
		.map((segment, depth) => (/^\d+$/.test(segment) ? `[${segment}]` : depth === 0 ? segment : `.${segment}`))
		.join("");
}

function combinationProblems(method: Method, params: Record<string, unknown>): Problem[] {
	const { exactlyOneOf, atMostOneOf, atLeastOneOf } = method.flags;
	const rules = [
		{ fields: exactlyOneOf, least: 1, most: 1, words: "exactly one of" },
		{ fields: atMostOneOf, least: 0, most: 1, words: "at most one of" },
		{ fields: atLeastOneOf, least: 1, most: Number.POSITIVE_INFINITY, words: "at least one of" },
	];
	const problems: Problem[] = [];
	for (const { fields, least, most, words } of rules) {
		if (fields === undefined) continue;
		const given = fields.filter((field) => Object.hasOwn(params, field)).length;
		if (given < least || given > most)
			problems.push({
				field: fields.join(", "),
				message: `${words} ${fields.map(quote).join(", ")} must be given`,
			});
	}
	return problems;
}

/** The schema has checked the characters; a pattern for groups of four would overflow the stack on a long image. */
function imageProblems(content: unknown): Problem[] {
	if (!Array.isArray(content)) return [];
	const problems: Problem[] = [];
	for (const [index, part] of content.entries()) {
		if (part.type === "image" && part.data.length % 4 !== 0) {
			const field = `content[${index}].data`;
			problems.push({ field, message: `${quote(field)} must be whole base64, padded with "="` });
		}
	}
	return problems;
}

/**
 * Half a surrogate pair can't be stored as UTF-8, and a model provider refuses every later request of a conversation
 * that holds one.
 */
function unicodeProblems(value: unknown, path: readonly string[] = []): Problem[] {
	if (typeof value === "string")
		return value.isWellFormed()
			? []
			: [{ field: fieldName(path), message: `${quote(fieldName(path))} holds half of a surrogate pair` }];
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([key, child]) => unicodeProblems(child, [...path, key]));
}

function quote(text: string): string {
	return JSON.stringify(shorten(text));
}

function shorten(text: string): string {
	return text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED).toWellFormed()}…` : text.toWellFormed();
}

function sentence(problems: readonly Problem[]): string {
	return `${problems.map((problem) => problem.message).join("; ")}.`;
}

function fieldList(method: Method): string {
	const properties = isJsonObject(method.params.properties) ? Object.keys(method.params.properties) : [];
	if (properties.length === 0) return "It has no fields.";
	const required: unknown = method.params.required;
	const names = properties.map((name) =>
		Array.isArray(required) && required.includes(name) ? name : `${name} (optional)`,
	);
	return `Its fields: ${names.join(", ")}.`;
}
