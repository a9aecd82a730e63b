import assert from "node:assert/strict";
import { test } from "node:test";
import { json, ONE } from "../testing/answers.ts";
import { makePlace } from "../testing/place.ts";
import { startOutlive } from "../testing/run-outlive.ts";
import { startTestAgent } from "../testing/test-agent.ts";
import { summary } from "../testing/views.ts";

test("output comes whole and byte for byte, and says when its middle was not kept", async (context) => {
	const place = makePlace(context);
	const head = Buffer.from([0xff, 0x00, 0x0a]);
	const tail = Buffer.from("end");
	await startTestAgent(context, place, {
		handlers: {
			...ONE,
			"session.output": ({ offset }) => {
				const at = Number(offset);
				const gap = { from: 3, to: 1_000_003 };
				const rest = { total: 1_000_006, complete: true, gap };
				if (at < 3) return { base64: head.subarray(at).toString("base64"), offset: at, ...rest };
				const from = Math.max(at, gap.to);
				return { base64: tail.subarray(from - gap.to).toString("base64"), offset: from, ...rest };
			},
		},
	});
	const child = startOutlive(context, place, ["output", "7", "c1"], { input: "" });
	const chunks: Buffer[] = [];
	child.child.stdout.removeAllListeners("data");
	child.child.stdout
		.setEncoding("latin1")
		.on("data", (text: string) => chunks.push(Buffer.from(text, "latin1")));
	const { code, stderr } = await child.finished();
	assert.equal(code, 0);
	assert.deepEqual(Buffer.concat(chunks), Buffer.concat([head, tail]));
	assert.match(
		stderr,
		/1000 KB are missing after its first 3 bytes|1000000 bytes are missing|1 MB are missing/,
	);
	const { value } = await json(context, place, ["output", "7", "c1"]);
	assert.deepEqual(value, {
		session: "7",
		call: "c1",
		text: "\ufffd\u0000\nend",
		bytes: 1_000_006,
		complete: true,
		gap: { from: 3, to: 1_000_003 },
	});
});

test("when whoever reads the output goes, outlive ends quietly", async (context) => {
	const place = makePlace(context);
	const many = Array.from({ length: 3000 }, (_, at) => summary({ id: String(at), title: "t".repeat(100) }));
	await startTestAgent(context, place, {
		handlers: { "sessions.list": () => ({ sessions: many, cursor: null, total: many.length }) },
	});
	const running = startOutlive(context, place, ["ls"], { input: "" });
	running.child.stdout.destroy();
	const { code, stderr } = await running.finished();
	assert.equal(code, 0);
	assert.equal(stderr, "");
});
