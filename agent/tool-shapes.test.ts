import assert from "node:assert/strict";
import { test } from "node:test";
import { shapesFor } from "./models/border/tool-shapes.ts";
import { CodingTools } from "./tools/index.ts";

const tools = new Map(
	CodingTools.tools!.map(({ name, parameters }) => [
		name,
		(parameters as { properties: Record<string, { type?: unknown }> }).properties,
	]),
);

test("the schemas of the shipped tools are flat", () => {
	for (const [name, properties] of tools)
		for (const [parameter, { type }] of Object.entries(properties))
			assert.ok(["string", "number", "integer", "boolean"].includes(String(type)), `${name}.${parameter}`);
});

test("the tables of families name tools and parameters that there are", () => {
	for (const id of ["claude-sonnet-5-5", "gpt-6.2-sol"]) {
		const shapes = Object.entries(shapesFor({ provider: "any", id }));
		assert.ok(shapes.length > 0);
		for (const [name, { parameters = {} }] of shapes)
			for (const parameter of Object.keys(parameters))
				assert.ok(tools.get(name)?.[parameter] !== undefined, `${name}.${parameter}`);
	}
});
