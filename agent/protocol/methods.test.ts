import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isJsonObject } from "./json.ts";
import {
	AVAILABLE_METHODS,
	type AvailableMethod,
	type ExactlyOnceMethod,
	isAvailable,
	isExactlyOnce,
	isMethodName,
	METHODS,
	type Method,
	type MethodName,
	type Params,
	type PlainMethod,
	type Result,
	type Watched,
	type WatchMethod,
} from "./methods.ts";
import type { SessionView, Submission } from "./views.ts";

/** The methods of version 1 and their fields; `?` marks an optional one. */
const VERSION_1: Record<string, string> = {
	"agent.info": "",
	"agent.shutdown": "when",
	"agent.handover": "version storeFormat when",
	"projects.list": "",
	"projects.allow": "directory",
	"models.list": "directory?",
	"models.setKey": "provider key file?",
	"sessions.list": "query? idPrefix? project? archived? cursor? limit?",
	"sessions.create": "directory title? model? content? requestId",
	"sessions.watch": "limit?",
	"session.watch": "session tail?",
	"session.entries": "session around? before? after? limit",
	"session.output": "session call offset limit",
	"session.send": "session content requestId whenBusy?",
	"session.edit": "session submission content? whenBusy?",
	"session.withdraw": "session submission",
	"session.answer": "session request choice? text? requestId",
	"session.stop": "session run? call? background?",
	"session.tryNow": "session",
	"session.configure": "session model? thinkingLevel? mode? tools? title? archived?",
	"session.seen": "session entry",
	"session.fork": "session at requestId?",
	"session.compact": "session instructions? requestId?",
	"session.reset": "session note? requestId?",
	"session.changes": "session since?",
	"session.rewind": "session to preview",
	"files.complete": "session? directory? query limit?",
	"folders.list": "directory?",
	"folders.create": "directory",
	usage: "since? by",
	search: "query project? since? archived? limit",
	unwatch: "watch",
};

const NOT_YET = ["session.answer", "session.changes", "session.rewind"];

const names = Object.keys(METHODS) as MethodName[];
const table: Record<MethodName, Method> = METHODS;

function fieldsOf(method: Method): Record<string, unknown> {
	const { properties } = method.params;
	assert.ok(isJsonObject(properties));
	return properties;
}

describe("the table of methods", () => {
	test("holds every method of version 1 and no other", () => {
		assert.deepEqual([...names].sort(), Object.keys(VERSION_1).sort());
	});

	for (const name of names)
		test(`${name} takes: ${VERSION_1[name] || "nothing"}`, () => {
			const method = table[name];
			const required = (method.params.required ?? []) as string[];
			const fields = Object.keys(fieldsOf(method)).map((field) =>
				required.includes(field) ? field : `${field}?`,
			);
			assert.equal(fields.join(" "), VERSION_1[name]);
			assert.equal(method.params.additionalProperties, false);
		});

	test("every field has words that finish: it must be …", () => {
		for (const name of names)
			for (const [field, schema] of Object.entries(fieldsOf(table[name]))) {
				assert.ok(isJsonObject(schema));
				assert.match(String(schema.description), /^\S.*[^.]$/, `${name} ${field}`);
			}
	});

	test("every text and every list has a bound", () => {
		const unbounded = (schema: unknown): boolean => {
			if (Array.isArray(schema)) return schema.some(unbounded);
			if (!isJsonObject(schema)) return false;
			const pattern = typeof schema.pattern === "string" ? schema.pattern : "";
			const bounded = "maxLength" in schema || /\{1,\d+\}\$$/.test(pattern);
			// The data of an image is bounded by the line it comes in.
			const image = pattern.startsWith("^[A-Za-z0-9+/]+");
			if (schema.type === "string" && !bounded && !image) return true;
			if (schema.type === "array" && !("maxItems" in schema)) return true;
			return Object.values(schema).some(unbounded);
		};
		for (const name of names) assert.equal(unbounded(table[name].params), false, name);
	});

	test("the fields that rules speak of are fields of the method, and optional", () => {
		for (const name of names) {
			const { flags, params } = table[name];
			const spoken = [
				...(flags.exactlyOneOf ?? []),
				...(flags.atMostOneOf ?? []),
				...(flags.atLeastOneOf ?? []),
				...(flags.notYetFields ?? []),
			];
			for (const field of spoken) {
				assert.ok(field in fieldsOf(table[name]), `${name} ${field}`);
				assert.ok(!((params.required ?? []) as string[]).includes(field), `${name} ${field}`);
			}
		}
	});

	test("the watches are the list and one session", () => {
		const watches = names.filter((name) => table[name].outcome.kind === "watch");
		assert.deepEqual(watches, ["sessions.watch", "session.watch"]);
	});

	test("exactly-once methods are those with a request id", () => {
		const once = names.filter(isExactlyOnce);
		assert.deepEqual([...once].sort(), [
			"session.answer",
			"session.compact",
			"session.fork",
			"session.reset",
			"session.send",
			"sessions.create",
		]);
		assert.deepEqual(
			once,
			names.filter((name) => "requestId" in fieldsOf(table[name])),
		);
	});

	test("what isn't built yet says so, and the rest is what a welcome lists", () => {
		assert.deepEqual(names.filter((name) => !isAvailable(name)).sort(), NOT_YET);
		assert.deepEqual([...AVAILABLE_METHODS].sort(), names.filter((name) => !NOT_YET.includes(name)).sort());
		assert.deepEqual(METHODS["session.configure"].flags.notYetFields, ["mode"]);
	});

	test("names of inherited properties are no methods", () => {
		assert.equal(isMethodName("toString"), false);
		assert.equal(isMethodName("agent.info"), true);
	});
});

/** The compiler is the test: each line fails to build when a type is not what the table says. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const typed: true[] = [
	true satisfies Same<Params<"session.withdraw">, { session: string; submission: string }>,
	true satisfies Same<Params<"session.watch">, { session: string; tail?: number }>,
	true satisfies Same<Params<"agent.shutdown">, { when: "idle" | "now" }>,
	true satisfies Same<Params<"session.send">["whenBusy"], "steer" | "followUp" | "reject" | undefined>,
	true satisfies Same<Result<"session.send">, Submission>,
	true satisfies Same<Result<"session.watch">, { watch: string }>,
	true satisfies Same<Watched<"session.watch">, SessionView>,
	true satisfies Same<WatchMethod, "sessions.watch" | "session.watch">,
	true satisfies Same<
		ExactlyOnceMethod,
		| "sessions.create"
		| "session.send"
		| "session.answer"
		| "session.compact"
		| "session.fork"
		| "session.reset"
	>,
	true satisfies Same<Extract<PlainMethod, WatchMethod | "unwatch">, never>,
	true satisfies Same<Extract<AvailableMethod, "session.changes" | "session.rewind">, never>,
	true satisfies Same<Extract<AvailableMethod, "session.stop">, "session.stop">,
];

test("params, results and kinds of methods are typed from the one table", () => {
	assert.ok(typed.every(Boolean));
});
