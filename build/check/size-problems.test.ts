import assert from "node:assert/strict";
import { test } from "node:test";
import { sizeProblems } from "./size-problems.mjs";

const file = (name: string, lines: number) => ({ file: name, text: "x\n".repeat(lines) });

test("a source file of more than 400 lines is named, a test may be longer", () => {
	const files = [file("agent/a.ts", 400), file("agent/b.ts", 401), file("agent/c.test.ts", 900)];
	assert.deepEqual(sizeProblems(files), [
		"agent/b.ts has 401 lines; split it by its ideas (at most 400 each).",
	]);
});

test("a harness of more than 15,000 lines without its tests is named", () => {
	const files = Array.from({ length: 38 }, (_, index) => file(`agent/durable/${index}.ts`, 400));
	assert.match(sizeProblems(files).join(), /^agent\/durable\/ has 15200 lines/);
	const aside = ["a.test.ts", "testing/b.ts", "storage/conformance/c.ts", "env/d-conformance.ts"].map(
		(name) => file(`agent/durable/${name}`, 400),
	);
	assert.deepEqual(sizeProblems([...files.slice(1), ...aside]), []);
	const spaced = { file: "agent/durable/e.ts", text: "\n// why\n/** what */\n".repeat(100) };
	assert.deepEqual(sizeProblems([...files.slice(1), spaced]), []);
	const importing = { file: "agent/durable/f.ts", text: 'import {\n\ta,\n} from "./a.ts";\n'.repeat(100) };
	assert.deepEqual(sizeProblems([...files.slice(1), importing]), []);
});
