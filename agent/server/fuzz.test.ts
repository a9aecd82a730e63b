import assert from "node:assert/strict";
import { createHash, randomFillSync } from "node:crypto";
import { type TestContext, test } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { Cursor, Page } from "../durable/index.ts";
import { until } from "../durable/testing/until.ts";
import {
	AVAILABLE_METHODS,
	encodeFrame,
	isMethodName,
	type JsonObject,
	MAX_LINE_BYTES,
	METHODS,
	type MethodName,
} from "../protocol/index.ts";
import { type Random, randomJson, randomObject, seededRandom } from "../protocol/testing/random.ts";
import { VALID } from "../protocol/testing/valid-params.ts";
import { startAgent, type TestAgent } from "./testing/agent.ts";
import { heldMemory } from "./testing/held-memory.ts";
import type { RawClient } from "./testing/raw-client.ts";

const TIMES = 10_000;
const MIB = 1024 * 1024;

test("random bytes, 10,000 times, touch nothing", async (t) => {
	const { agent, random, isUntouched } = await fuzzed(t);
	await onNewConnections(agent, random, () => {
		const bytes = randomFillSync(new Uint8Array(1 + random.below(300)));
		return Buffer.concat([bytes, Buffer.from("\n")]);
	});
	await isUntouched();
});

test("truncated lines, 10,000 of them, touch nothing", async (t) => {
	const { agent, random, isUntouched } = await fuzzed(t);
	const lines = [{ type: "hello", protocols: [1], client: "fuzz 0" }, ...requests()].map((each) =>
		encodeFrame(each),
	);
	await onNewConnections(agent, random, () => {
		const line = random.pick(lines);
		return line.subarray(0, random.below(line.length - 1));
	});
	await isUntouched();
});

test("JSON of wrong types, 10,000 lines of it, is answered line by line and touches nothing", async (t) => {
	const { agent, random, isUntouched } = await fuzzed(t);
	await onOneConnection(agent, () => {
		const line = {
			...(random.chance(50) ? random.pick(requests()) : {}),
			...randomObject(random),
		} as JsonObject;
		for (const key of ["type", "id", "method", "params"])
			if (random.chance(25)) line[key] = randomJson(random) as never;
		// What would be a valid request of another method is not wrong.
		return line.type === "request" && isMethodName(String(line.method)) && !isHarmless(line)
			? { ...line, params: [] }
			: line;
	});
	await isUntouched();
});

test("unknown methods, 10,000 times, are each answered so and touch nothing", async (t) => {
	const { agent, random, isUntouched } = await fuzzed(t);
	const codes = await onOneConnection(agent, (id) => ({
		type: "request",
		id,
		method: `${random.pick(["session.", "__proto__", "constructor", "agent.", "", "渐"])}${random.below(1_000_000)}`,
		params: randomObject(random),
	}));
	assert.deepEqual(codes, new Set(["unknown_method"]));
	await isUntouched();
});

test("known methods with wrong params, 10,000 times, are each answered so and touch nothing", async (t) => {
	const { agent, random, isUntouched } = await fuzzed(t);
	const methods = AVAILABLE_METHODS.filter((method) => Object.keys(VALID[method][0]!).length > 0);
	const codes = await onOneConnection(agent, (id) => {
		const method = random.pick(methods);
		const params: Record<string, unknown> = { ...random.pick(VALID[method] as readonly object[]) };
		const fields = Object.keys(params);
		const field = random.pick(fields.length === 0 ? ["unknown"] : fields);
		params[field] = wrongFor(params[field], random);
		return { type: "request", id, method, params };
	});
	// An empty list of tools, for one, is right after all; then it is the session that isn't there.
	assert.deepEqual(codes.difference(new Set(["not_yet", "not_found"])), new Set(["invalid_params"]));
	await isUntouched();
});

test("lines over the limit, 50 of them, end their own connections and touch nothing", async (t) => {
	const { agent, isUntouched } = await fuzzed(t);
	const chunk = Buffer.alloc(MAX_LINE_BYTES / 8, 0x78);
	for (let i = 0; i < 50; i++) {
		const client = await agent.raw();
		for (let part = 0; part < 8; part++) client.write(chunk);
		client.write("xx");
		const error = await client.next();
		assert.equal(error.code, "line_too_long");
		client.close();
	}
	await isUntouched();
});

type Fuzzed = {
	readonly agent: TestAgent;
	readonly random: Random;
	/** Nothing stored has changed, nobody else noticed, nothing is left, and the memory is as it was. */
	isUntouched(): Promise<void>;
};

async function fuzzed(t: TestContext): Promise<Fuzzed> {
	const agent = await startAgent(t);
	const random = seededRandom(t);
	const session = await agent.session("slow 2: x");
	await agent.harness.waitForIdle(BACKGROUND_CONTEXT);
	const bystander = await agent.connect();
	const watch = await bystander.watch("session.watch", { session }, { onValue() {} });
	const value = watch.value;
	const digest = await digestOf(agent);
	const memory = await heldMemory();
	return {
		agent,
		random,
		async isUntouched() {
			await until("only the bystander is left", () => agent.server.connections() === 1);
			assert.equal(agent.server.watched(), 1);
			assert.equal(await digestOf(agent), digest);
			assert.equal(watch.value, value);
			assert.equal((await bystander.request("agent.info", {})).sessions.total, 1);
			assert.deepEqual(
				agent.log.filter(({ level }) => level === "error"),
				[],
			);
			const grown = (await heldMemory()) - memory;
			assert.ok(grown < 24 * MIB, `the memory grew by ${Math.round(grown / MIB)} MiB`);
		},
	};
}

/** Everything the store holds, in one number. */
async function digestOf({ harness }: TestAgent): Promise<string> {
	const hash = createHash("sha256");
	const add = async <T>(read: (cursor: Cursor | undefined) => Promise<Page<T, Cursor>>) => {
		let cursor: Cursor | undefined;
		do {
			const page = await read(cursor);
			hash.update(JSON.stringify(page.items));
			cursor = page.next;
		} while (cursor !== undefined);
	};
	await add((cursor) => harness.conversations({}, 100, cursor, BACKGROUND_CONTEXT));
	await add((cursor) => harness.submissions({}, 100, cursor, BACKGROUND_CONTEXT));
	await add((cursor) => harness.tasks({}, 100, cursor, BACKGROUND_CONTEXT));
	for (const { id } of (await harness.conversations({}, 100, undefined, BACKGROUND_CONTEXT)).items) {
		await add((cursor) => harness.entries({ conversationId: id }, 100, cursor, BACKGROUND_CONTEXT));
		const conversation = await harness.conversation(id, BACKGROUND_CONTEXT);
		const state = await conversation!.viewState(BACKGROUND_CONTEXT, { tail: 1 });
		hash.update(JSON.stringify(state.value.docs));
		state.dispose();
	}
	return hash.digest("hex");
}

/** Each input goes to a connection that has just been made; several are open at a time. */
async function onNewConnections(agent: TestAgent, random: Random, next: () => Uint8Array): Promise<void> {
	const open: RawClient[] = [];
	for (let i = 0; i < TIMES; i++) {
		const client = await agent.raw();
		if (random.chance(50)) client.send({ type: "hello", protocols: [1], client: "fuzz 0" });
		client.write(next());
		if (random.chance(50)) client.socket.end();
		open.push(client);
		if (open.length >= 20) open.shift()!.close();
	}
	for (const client of open) client.close();
}

/** All lines go over one connection, in batches that wait for their answers. Returns the codes of those. */
async function onOneConnection(agent: TestAgent, next: (id: string) => object): Promise<Set<unknown>> {
	const client = await agent.raw();
	await client.hello();
	const codes = new Set<unknown>();
	for (let i = 0; i < TIMES; i += 500) {
		const lines = Array.from({ length: 500 }, (_, k) => next(`f${i + k}`));
		client.send(...lines);
		for (const _ of lines) {
			let answer = await client.next();
			while (answer.type === "event") answer = await client.next();
			codes.add(answer.code ?? (answer.error as JsonObject | undefined)?.code);
		}
	}
	client.close();
	return codes;
}

/** One valid request of each method. */
function requests(): JsonObject[] {
	return (Object.keys(METHODS) as MethodName[]).map((method, i) => ({
		type: "request",
		id: `r${i}`,
		method,
		params: VALID[method][0] as JsonObject,
	}));
}

/** Methods that only look, so that a line which happens to be valid changes nothing. */
function isHarmless({ method }: JsonObject): boolean {
	return /^(agent\.info|projects\.list|models\.list|sessions\.list|session\.entries|session\.output|folders\.list)$/.test(
		String(method),
	);
}

function wrongFor(value: unknown, random: Random): unknown {
	const wrong = [null, {}, [], -1, "", "\ud800", 1e300, { deep: [[[]]] }, "x".repeat(5_000_000)];
	const other = random.pick(wrong.slice(0, random.chance(1) ? wrong.length : wrong.length - 1));
	if (value === null || JSON.stringify(other) === JSON.stringify(value)) return { wrong: true };
	// An empty text is a valid query, and null a valid default.
	return other === "" || other === null ? { wrong: true } : other;
}
