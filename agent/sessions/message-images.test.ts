import assert from "node:assert/strict";
import { test } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { ConversationId, Harness, UserInput } from "../durable/index.ts";
import { readImageHeader } from "../images/image-header.ts";
import { commonLimits } from "../images/image-limits.ts";
import { noise, plain } from "../images/testing/pictures.ts";
import { isIdle, reached, SCRIPTED, withGround } from "./testing/ground.ts";
import { refused } from "./testing/refused.ts";

type Part = Exclude<UserInput, string>[number];

const image = (bytes: Uint8Array, mimeType = "image/png"): Part => ({
	type: "image",
	data: Buffer.from(bytes).toString("base64"),
	mimeType,
});
const words = (text: string): Part => ({ type: "text", text });
const HOLD = `tools: [{"name": "hold", "arguments": {}}]`;
const large = image(plain(2400, 1200));

/** What people said, each message as its texts and the sizes of its images. */
async function saidIn(harness: Harness, id: ConversationId): Promise<unknown[]> {
	const query = { conversationId: id, order: "ascending" } as const;
	const { items } = await harness.entries(query, 100, undefined, BACKGROUND_CONTEXT);
	return items.flatMap(({ kind, model }): unknown[] => {
		const message = model?.[0];
		if (kind !== "pi.user" || message?.role !== "user") return [];
		if (typeof message.content === "string") return [message.content];
		return [message.content.map((part) => (part.type === "text" ? part.text : sizeOf(part)))];
	});
}

function sizeOf({ data, mimeType }: { data: string; mimeType: string }) {
	const header = readImageHeader(Buffer.from(data, "base64"))!;
	assert.equal(header.mimeType, mimeType);
	return [header.width, header.height];
}

test("an image too large for models is scaled before it is stored: in a first message, a later one and an edited one", async () => {
	await withGround(async (ground) => {
		const { sessions, harness, release } = await ground.open();
		const directory = await ground.folder("app");
		const { id } = await sessions.create({ directory, requestId: "c", content: [words("one"), large] });
		await reached(sessions, id, isIdle);
		await sessions.send({ id, content: HOLD, requestId: "r1" });
		const { id: edited } = await sessions.send({ id, content: "two", requestId: "r2" });
		await sessions.send({ id, content: [large, words("three"), large], requestId: "r3" });
		await sessions.edit({ id, submission: edited, content: [large] });
		release();
		await reached(sessions, id, isIdle);
		const scaled = [2000, 1000];
		assert.deepEqual(await saidIn(harness, id), [["one", scaled], HOLD, [scaled], [scaled, "three", scaled]]);
	});
});

test("an image that models take stays as it is, to the byte", async () => {
	await withGround(async (ground) => {
		const { sessions, harness } = await ground.open();
		const content = [image(noise(60, 60)), image(plain(2000, 2000, "jpeg"), "image/jpeg")];
		const { id } = await sessions.create({ directory: await ground.folder("app"), requestId: "c", content });
		await reached(sessions, id, isIdle);
		const query = { conversationId: id, order: "ascending" } as const;
		const { items } = await harness.entries(query, 1, undefined, BACKGROUND_CONTEXT);
		const stored = items[0]!.model![0]!;
		assert.deepEqual(stored.content, content);
	});
});

test("the session's own model says how large an image may be", async () => {
	await withGround(async (ground) => {
		const { sessions, harness } = await ground.open({
			imageLimits: (model) => ({
				...commonLimits,
				...(model?.modelId === SCRIPTED.modelId && { maxWidth: 30 }),
			}),
		});
		const directory = await ground.folder("app");
		const { id } = await sessions.create({ directory, requestId: "c", content: [image(plain(60, 60))] });
		await sessions.send({ id, requestId: "r1", content: [image(plain(90, 30))] });
		await reached(sessions, id, isIdle);
		assert.deepEqual(await saidIn(harness, id), [[[30, 30]], [[30, 10]]]);
	});
});

test("what is sent while an image is still being scaled stands behind it", async () => {
	await withGround(async (ground) => {
		const { sessions, harness } = await ground.open();
		const { id } = await sessions.create({ directory: await ground.folder("app"), requestId: "c" });
		const first = sessions.send({ id, content: [words("first"), large], requestId: "r1" });
		const second = sessions.send({ id, content: "second", requestId: "r2" });
		const again = sessions.send({ id, content: [words("first"), large], requestId: "r1" });
		const [one, two, three] = await Promise.all([first, second, again]);
		assert.ok(one.id < two.id);
		assert.equal(three.id, one.id);
		await reached(sessions, id, isIdle);
		assert.deepEqual(await saidIn(harness, id), [["first", [2000, 1000]], "second"]);
	});
});

test("what is no image, or can't be scaled, is refused with what to do, and the next message is taken", async () => {
	await withGround(async (ground) => {
		const { sessions, harness } = await ground.open();
		const { id } = await sessions.create({ directory: await ground.folder("app"), requestId: "c" });
		const enormous = Buffer.from(plain(1, 1));
		enormous.writeUInt32BE(20_000, 16);
		enormous.writeUInt32BE(20_000, 20);
		for (const [content, said] of [
			[[image(Buffer.from("words"))], /^The image is not a PNG, JPEG, GIF or WebP, or it is damaged\. Send/],
			[[image(plain(1, 1), "image/jpeg")], /^The image is image\/png, not image\/jpeg/],
			[[large, image(Buffer.from("words"))], /^Image 2 is not/],
			[[image(enormous)], /^The image has 400 million pixels, .*Send a smaller/],
			[[image(plain(2400, 1200).subarray(0, 60))], /^The image can't be unpacked.*Send/],
		] as const) {
			const sent = sessions.send({ id, content: [...content], requestId: "r1" });
			await assert.rejects(sent, (error: Error) => {
				refused("invalid_params")(error);
				assert.match(error.message, said);
				return true;
			});
		}
		await sessions.send({ id, content: "hello", requestId: "r1" });
		assert.deepEqual(await saidIn(harness, id), ["hello"]);
	});
});
