import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api, Model } from "@earendil-works/pi-ai";
import { builtinProviders } from "@earendil-works/pi-ai/providers/all";
import { commonLimits, limitsOf } from "./image-limits.ts";

type Resize = { maxWidth?: number; maxHeight?: number; maxBytes?: number; jpegQuality?: number };

const taking = (resize: Resize | undefined) =>
	({ inputLimits: { images: { ...(resize && { resize }) } } }) as Model<Api>;

test("a model's own limits are kept to where they are tighter than what all models take", () => {
	assert.deepEqual(limitsOf(taking({ maxWidth: 1000, maxHeight: 4000, maxBytes: 400, jpegQuality: 50 })), {
		maxWidth: 1000,
		maxHeight: 2000,
		maxBytes: 300,
		jpegQuality: 50,
	});
});

test("where nothing is known of a model, or no model is, an image is to be what all models take", () => {
	for (const model of [undefined, {} as Model<Api>, taking(undefined), taking({})])
		assert.deepEqual(limitsOf(model), commonLimits);
});

test("what all models take is the tightest that a model of pi-ai asks for", () => {
	const resizes = builtinProviders()
		.flatMap((provider) => [...provider.getModels()])
		.flatMap((model) => model.inputLimits?.images?.resize ?? []);
	assert.ok(resizes.length > 100);
	for (const resize of resizes) assert.deepEqual(limitsOf(taking(resize)), commonLimits);
});
