import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
	createLineDecoder,
	createLineSplitter,
	type DecodedLine,
	encodeFrame,
	encodeLine,
	frameLine,
	parseLine,
} from "./codec.ts";
import { MAX_LINE_BYTES } from "./limits.ts";
import { type Random, randomObject, seededRandom } from "./testing/random.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** The values decoded from chunks, and the code of the failure that ended them. */
function decode(chunks: readonly Uint8Array[], options: Parameters<typeof createLineDecoder>[0] = {}) {
	const decoder = createLineDecoder(options);
	const lines = chunks.flatMap((chunk) => decoder.push(chunk));
	const values = lines.flatMap((line) => (line.ok ? [line.value] : []));
	return { values, failure: failureOf(lines.at(-1)), pending: decoder.pending };
}

function failureOf(line: DecodedLine | undefined): string | undefined {
	return line === undefined || line.ok ? undefined : line.error.code;
}

function cutAtRandom(random: Random, stream: Uint8Array): Uint8Array[] {
	const chunks: Uint8Array[] = [];
	for (let at = 0; at < stream.length; ) {
		const size = random.chance(50) ? 1 : random.below(40);
		chunks.push(stream.subarray(at, at + size));
		at += size;
	}
	return chunks;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
	return new Uint8Array(Buffer.concat(parts));
}

describe("the codec", () => {
	test("a message comes back as it was, whatever it holds", () => {
		const message = { text: "a\nb\r\n\u2028\u2029\u0000渐😀é\ud83d", list: [1, null, { deep: [] }] };
		const { values, pending } = decode([encodeFrame(message)]);
		assert.deepEqual(values, [message]);
		assert.equal(pending, 0);
	});

	test("only the byte 0x0A ends a line: U+2028, U+2029, U+0085 and a carriage return don't", () => {
		const line = '{"a":"x\u2028y\u2029z\u0085"}\r';
		const splitter = createLineSplitter();
		assert.deepEqual(splitter.push(bytes(`${line}\n`)), [{ ok: true, text: line }]);
		assert.deepEqual(decode([bytes(`${line}\n`)]).values, [{ a: "x\u2028y\u2029z\u0085" }]);
	});

	test("any chunking of a stream gives the same lines", (t) => {
		const random = seededRandom(t);
		for (let round = 0; round < 200; round++) {
			const messages = Array.from({ length: random.below(6) }, () => randomObject(random));
			const stream = concat(messages.map(encodeFrame));
			const expected = messages.map((message) => JSON.parse(JSON.stringify(message)));
			assert.deepEqual(decode(cutAtRandom(random, stream)).values, expected);
		}
	});

	test("any chunking of a broken stream gives the same lines and the same failure", (t) => {
		const random = seededRandom(t);
		for (let round = 0; round < 300; round++) {
			const stream = concat(Array.from({ length: 4 }, () => encodeFrame(randomObject(random))));
			for (let wound = 0; wound < 3; wound++) stream[random.below(stream.length)] = random.below(256);
			const whole = decode([stream], { maxBytes: 200 });
			assert.deepEqual(decode(cutAtRandom(random, stream), { maxBytes: 200 }), whole);
		}
	});

	test("an unfinished line is held, and finished by later chunks", () => {
		const decoder = createLineDecoder();
		assert.deepEqual(decoder.push(bytes('{"a":')), []);
		assert.equal(decoder.pending, 5);
		assert.deepEqual(decoder.push(bytes('1}\n{"b"')), [{ ok: true, value: { a: 1 } }]);
		assert.deepEqual(decoder.push(bytes(":2}\n")), [{ ok: true, value: { b: 2 } }]);
		assert.equal(decoder.pending, 0);
	});

	test("what it holds is its own: the caller may use the chunk's memory again", () => {
		const decoder = createLineDecoder();
		const chunk = bytes('{"a":1');
		decoder.push(chunk);
		chunk.fill(0x20);
		assert.deepEqual(decoder.push(bytes("}\n")), [{ ok: true, value: { a: 1 } }]);
	});

	for (const [what, line] of [
		["not JSON", "hello"],
		["half an object", '{"a":'],
		["two objects", "{}{}"],
		["an empty line", ""],
		["white space", "  "],
		["a list", "[1]"],
		["null", "null"],
		["a string", '"a"'],
		["a number", "12"],
		["a byte order mark", "\ufeff{}"],
	] as const)
		test(`a line that is ${what} is a bad line, and nothing after it is read`, () => {
			const { values, failure } = decode([
				bytes(`{"first":1}\n${line}\n{"last":1}\n`),
				bytes('{"later":1}\n'),
			]);
			assert.deepEqual(values, [{ first: 1 }]);
			assert.equal(failure, "bad_line");
		});

	for (const [what, wrong] of [
		["a lone continuation byte", [0x80]],
		["an overlong slash", [0xc0, 0xaf]],
		["half a character", [0xe6, 0xb8]],
		["a surrogate", [0xed, 0xa0, 0x80]],
		["0xFF", [0xff]],
	] as const)
		test(`${what} is not UTF-8 and makes a bad line`, () => {
			const line = concat([bytes('{"a":"'), new Uint8Array(wrong), bytes('"}\n')]);
			assert.equal(decode([line]).failure, "bad_line");
		});

	test("the error for a bad line doesn't quote the line", () => {
		const [line] = createLineDecoder().push(bytes("secret-key-123\n"));
		assert.equal(line?.ok, false);
		assert.doesNotMatch(JSON.stringify(line), /secret/);
	});

	test("a line may be as long as the limit and not a byte longer, however it comes", () => {
		const line = (size: number) => bytes(`{"a":"${"x".repeat(size - 8)}"}\n`);
		for (const cut of [1, 7, 99, 1000]) {
			const chunks = (whole: Uint8Array) => {
				const parts: Uint8Array[] = [];
				for (let at = 0; at < whole.length; at += cut) parts.push(whole.subarray(at, at + cut));
				return parts;
			};
			assert.equal(decode(chunks(line(100)), { maxBytes: 100 }).values.length, 1);
			assert.equal(decode(chunks(line(101)), { maxBytes: 100 }).failure, "line_too_long");
		}
	});

	test("a line that never ends fails once it is too long, and nothing of it is held", () => {
		const decoder = createLineDecoder({ maxBytes: 1000 });
		const chunk = new Uint8Array(300).fill(0x61);
		const lines = Array.from({ length: 10 }, () => decoder.push(chunk)).flat();
		assert.deepEqual(lines.map(failureOf), ["line_too_long"]);
		assert.equal(decoder.pending, 0);
	});

	test("the limit of a line is 32 MiB unless told otherwise", () => {
		const size = MAX_LINE_BYTES - 8;
		const longest = bytes(`{"a":"${"x".repeat(size)}"}\n`);
		assert.equal(longest.length - 1, MAX_LINE_BYTES);
		const { values } = decode([longest.subarray(0, 1000), longest.subarray(1000)]);
		assert.equal(values[0]?.a, "x".repeat(size));
		const { failure } = decode([new Uint8Array(MAX_LINE_BYTES).fill(0x61), bytes("a")]);
		assert.equal(failure, "line_too_long");
	});

	/** Were the buffer copied for each chunk, this would copy 500 GB and never end. */
	test("a long line in small chunks costs what its length costs", { timeout: 60_000 }, () => {
		const decoder = createLineDecoder();
		const chunk = bytes("x".repeat(16));
		decoder.push(bytes('{"a":"'));
		for (let sent = 0; sent < 4 * 1024 * 1024; sent += chunk.length) decoder.push(chunk);
		const [line] = decoder.push(bytes('"}\n'));
		assert.equal(line?.ok && (line.value.a as string).length, 4 * 1024 * 1024);
	});

	test("a line with more values than allowed is refused before it is parsed", () => {
		const line = (values: number) => `{"a":[${"0,".repeat(values - 3)}0]}`;
		assert.equal(parseLine(line(10), { maxValues: 10 }).ok, true);
		const refused = parseLine(line(11), { maxValues: 10 });
		assert.equal(failureOf(refused), "bad_line");
		const { failure } = decode([bytes(`${line(11)}\n`)], { maxValues: 10 });
		assert.equal(failure, "bad_line");
	});

	test("a relay's lines come out as they went in", () => {
		const line = encodeLine({ text: "渐😀é\n" });
		assert.doesNotMatch(line, /\n/);
		assert.deepEqual(createLineSplitter().push(frameLine(line)), [{ ok: true, text: line }]);
	});
});
