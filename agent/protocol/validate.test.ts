import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MAX_TEXT_CHARACTERS } from "./limits.ts";
import { isAvailable, METHODS, type MethodName } from "./methods.ts";
import { type Random, randomJson, seededRandom } from "./testing/random.ts";
import { VALID } from "./testing/valid-params.ts";
import { checkRequest, type Validation, validateParams } from "./validate.ts";

const names = Object.keys(METHODS) as MethodName[];
const valid = (name: MethodName): readonly object[] => VALID[name];

function messageOf(validation: Validation<unknown>): string {
	return validation.ok ? "valid" : validation.message;
}

function assertRefused(name: MethodName, params: unknown, message: RegExp): void {
	assert.match(messageOf(validateParams(name, params)), message);
}

const send = (fields: object) => ({ session: "1", content: "Hello", requestId: "q", ...fields });
const image = (data: string) => [{ type: "image", data, mimeType: "image/png" }];

describe("valid params", () => {
	for (const name of names)
		test(`of ${name} are returned as they came`, () => {
			for (const params of valid(name)) {
				const before = structuredClone(params);
				assert.deepEqual(validateParams(name, params), { ok: true, value: before });
			}
		});

	test("frozen ones are fine, so nothing is filled in or changed", () => {
		const params = Object.freeze(send({}));
		const checked = validateParams("session.send", params);
		assert.equal(checked.ok && checked.value, params);
	});

	test("the longest text and a long image are checked without trouble", () => {
		assert.equal(validateParams("session.send", send({ content: "x".repeat(MAX_TEXT_CHARACTERS) })).ok, true);
		assert.equal(validateParams("session.send", send({ content: image("A".repeat(20_000_000)) })).ok, true);
	});
});

describe("wrong params", () => {
	for (const name of names)
		test(`of ${name}: an unknown field, a missing one and a mistyped one are each named`, () => {
			const [least] = valid(name);
			assertRefused(name, { ...least, surprise: 1 }, /"surprise" is not a field of/);
			const required = (METHODS[name].params.required ?? []) as string[];
			for (const field of required) {
				const missing = Object.fromEntries(Object.entries(least ?? {}).filter(([key]) => key !== field));
				assertRefused(name, missing, new RegExp(`^${name}: "${field}" is missing\\. Its fields: `));
				assertRefused(name, { ...least, [field]: { odd: 1 } }, new RegExp(`"${field}" must be `));
			}
		});

	test("what isn't an object is refused", () => {
		for (const params of [null, undefined, [], "x", 1])
			assertRefused("agent.info", params, /must be a JSON object/);
	});

	test("the sentence says what each field must be, and which fields there are", () => {
		assert.equal(
			messageOf(validateParams("session.watch", { tail: 0, session: "", extra: 1 })),
			'session.watch: "session" must be the id of a session; "tail" must be a whole number from 1 to 500; ' +
				'"extra" is not a field of session.watch. Its fields: session, tail (optional).',
		);
	});

	for (const [what, name, params, message] of [
		["a relative folder", "projects.allow", { directory: "code" }, /"directory" must be an absolute path/],
		[
			"another user's home",
			"projects.allow",
			{ directory: "~root/x" },
			/"directory" must be an absolute path/,
		],
		[
			"a folder with a NUL",
			"projects.allow",
			{ directory: "/a\u0000b" },
			/"directory" must be an absolute path/,
		],
		[
			"a model without provider",
			"session.configure",
			{ session: "1", model: "opus" },
			/"model" must be provider\/model/,
		],
		[
			"an unknown level",
			"session.configure",
			{ session: "1", thinkingLevel: "huge" },
			/must be one of off, minimal/,
		],
		["a tool twice", "session.configure", { session: "1", tools: ["a", "a"] }, /different names of tools/],
		["an empty title", "session.configure", { session: "1", title: " " }, /1 to 200 characters/],
		["a title that is too long", "session.configure", { session: "1", title: "x".repeat(201) }, /1 to 200/],
		[
			"nothing to configure",
			"session.configure",
			{ session: "1" },
			/at least one of "model", "thinkingLevel"/,
		],
		[
			"nothing to edit",
			"session.edit",
			{ session: "1", submission: "2" },
			/at least one of "content", "whenBusy"/,
		],
		[
			"rejecting an edit",
			"session.edit",
			{ session: "1", submission: "2", whenBusy: "reject" },
			/"steer" or "followUp"/,
		],
		["no place", "session.entries", { session: "1", limit: 5 }, /exactly one of "around", "before", "after"/],
		["two places", "session.entries", { session: "1", before: "1", after: "2", limit: 5 }, /exactly one of/],
		[
			"choice and text",
			"session.answer",
			{ session: "1", request: "2", choice: "a", text: "b", requestId: "q" },
			/exactly one of "choice", "text"/,
		],
		[
			"a run and a call",
			"session.stop",
			{ session: "1", run: "2", call: "c" },
			/at most one of "run", "call"/,
		],
		["a limit that is no whole number", "search", { query: "x", limit: 1.5 }, /whole number from 1 to 200/],
		["a blank search", "search", { query: " ", limit: 1 }, /"query" must be a text of 1 to 1,000/],
		[
			"a piece that is too large",
			"session.output",
			{ session: "1", call: "c", offset: 0, limit: 1048577 },
			/1048576/,
		],
		[
			"a negative offset",
			"session.output",
			{ session: "1", call: "c", offset: -1, limit: 1 },
			/"offset" must be/,
		],
		[
			"a blank message",
			"session.send",
			send({ content: " \n" }),
			/"content" must be a text that isn't blank/,
		],
		["no parts", "session.send", send({ content: [] }), /"content" must be .* a list of 1 to 100 parts/],
		[
			"a part of another kind",
			"session.send",
			send({ content: [{ type: "video" }] }),
			/"content\[0\]\.type" must be one of \["text","image"\]/,
		],
		[
			"a blank part",
			"session.send",
			send({ content: [{ type: "text", text: "" }] }),
			/"content\[0\]\.text" must be a text that isn't blank/,
		],
		[
			"a part with more",
			"session.send",
			send({ content: [{ type: "text", text: "a", x: 1 }] }),
			/"content\[0\]\.x" is not a field/,
		],
		[
			"an image that isn't base64",
			"session.send",
			send({ content: image("a-b_") }),
			/"content\[0\]\.data" must be/,
		],
		[
			"half an image",
			"session.send",
			send({ content: image("AAAAA") }),
			/"content\[0\]\.data" must be whole base64/,
		],
		[
			"an image of another type",
			"session.send",
			send({ content: [{ type: "image", data: "AAAA", mimeType: "image/svg+xml" }] }),
			/mimeType" must be/,
		],
		[
			"a text that is too long",
			"session.send",
			send({ content: "x".repeat(MAX_TEXT_CHARACTERS + 1) }),
			/"content" must be/,
		],
		[
			"an empty request id",
			"session.send",
			send({ requestId: "" }),
			/"requestId" must be 1 to 200 visible ASCII/,
		],
		["a request id with a space", "session.send", send({ requestId: "a b" }), /"requestId" must be/],
		[
			"half a character in a text",
			"session.send",
			send({ content: "a\ud83d" }),
			/"content" holds half of a surrogate pair/,
		],
		[
			"half a character in a part",
			"session.send",
			send({ content: [{ type: "text", text: "\udc00" }] }),
			/"content\[0\]\.text" holds half/,
		],
		["half a character in an id", "session.seen", { session: "\ud800", entry: "1" }, /"session" holds half/],
		[
			"a prototype as a field",
			"agent.info",
			JSON.parse('{"__proto__": {"a": 1}}'),
			/"__proto__" is not a field/,
		],
	] as const)
		test(`${what} is refused with a sentence about it`, () => assertRefused(name, params, message));

	test("the report stays short, however much is wrong and however long it is", () => {
		const many = Object.fromEntries(
			Array.from({ length: 50_000 }, (_, index) => [`${index}${"x".repeat(100)}`, 1]),
		);
		const refused = validateParams("agent.info", many);
		assert.equal(!refused.ok && refused.problems.length, 8);
		assert.ok(messageOf(refused).length < 2000);
		assertRefused("agent.info", { ["y".repeat(1_000_000)]: 1 }, /^agent\.info: "y{60}…" is not/);
	});
});

/** Replaces, removes or adds something somewhere in a copy of the value. */
function wound(random: Random, value: unknown): unknown {
	if (typeof value !== "object" || value === null || random.chance(20)) return randomJson(random);
	const entries: [string, unknown][] = Object.entries(value);
	const at = random.below(entries.length);
	const [key, child] = entries[at] ?? ["y", 0];
	switch (random.below(4)) {
		case 0:
			entries.push([random.pick(["x", "__proto__", "session", "limit"]), randomJson(random)]);
			break;
		case 1:
			entries.splice(at, 1);
			break;
		default:
			entries[at] = [key, wound(random, child)];
	}
	return Array.isArray(value) ? entries.map(([, child]) => child) : Object.fromEntries(entries);
}

describe("whatever comes as a request", () => {
	test("checking it never throws, changes nothing, and says yes or why not", (t) => {
		const random = seededRandom(t);
		for (let round = 0; round < 5000; round++) {
			const name = random.pick(names);
			const params = wound(random, structuredClone(random.pick(valid(name))));
			const before = JSON.stringify(params);
			const checked = validateParams(name, params);
			assert.equal(JSON.stringify(params), before);
			if (checked.ok) continue;
			assert.ok(checked.problems.length > 0, before);
			assert.match(checked.message, new RegExp(`^${name}: .+\\. It(s fields: .+| has no fields)\\.$`, "s"));
			assert.ok(checked.message.isWellFormed());
		}
	});

	test("an unknown method is told by its name, shortened", () => {
		for (const name of ["sessions.delete", "toString", "__proto__", ""]) {
			const checked = checkRequest(name, {});
			assert.equal(!checked.ok && checked.error.code, "unknown_method");
		}
		const checked = checkRequest("x".repeat(1_000_000), {});
		assert.ok(!checked.ok && checked.error.message.length < 200);
	});

	test("what isn't built yet is told before its params are looked at", () => {
		for (const name of names.filter((each) => !isAvailable(each))) {
			const checked = checkRequest(name, { nonsense: true });
			assert.equal(!checked.ok && checked.error.code, "not_yet", name);
		}
	});

	test("the mode of a session can't be set yet, and everything beside it isn't set either", () => {
		const checked = checkRequest("session.configure", { session: "1", title: "T", mode: "ask_first" });
		assert.deepEqual(!checked.ok && checked.error, {
			code: "not_yet",
			message: 'This version of the agent can\'t set "mode" in session.configure yet; leave it out.',
		});
		const wrong = checkRequest("session.configure", { session: "1", mode: "wild" });
		assert.equal(!wrong.ok && wrong.error.code, "invalid_params");
	});

	test("wrong params are told with the list of problems as data", () => {
		const checked = checkRequest("session.withdraw", { session: "1" });
		assert.deepEqual(!checked.ok && checked.error, {
			code: "invalid_params",
			message: 'session.withdraw: "submission" is missing. Its fields: session, submission.',
			data: { problems: [{ field: "submission", message: '"submission" is missing' }] },
		});
	});

	test("a good request becomes a call", () => {
		for (const name of names.filter(isAvailable))
			for (const params of valid(name))
				assert.deepEqual(checkRequest(name, params), { ok: true, call: { method: name, params } });
	});
});
