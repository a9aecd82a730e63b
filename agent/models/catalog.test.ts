import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../durable/clock.ts";
import { createCatalog } from "./catalog.ts";
import type { CatalogEntry, Detection } from "./catalog-entry.ts";
import { catalogEntries } from "./entries.ts";
import { createScriptedProvider } from "./scripted/provider.ts";

/** A clock that a test moves. */
function testClock(): Clock & { advance(ms: number): Promise<void> } {
	let time = 0;
	const timers = new Set<{ at: number; run: () => void }>();
	return {
		now: () => time,
		monotonic: () => time,
		after(ms, run) {
			const timer = { at: time + ms, run };
			timers.add(timer);
			return () => timers.delete(timer);
		},
		async advance(ms) {
			time += ms;
			for (const timer of [...timers].filter((each) => each.at <= time)) {
				timers.delete(timer);
				timer.run();
			}
			// What the timers set going gets to run.
			await new Promise(setImmediate);
		},
	};
}

const nowhere = async () => ({ PATH: "/missing" });
const scripted = () => catalogEntries().at(-1)!;

/** An entry whose answers the test gives. */
function entryThat(detect: CatalogEntry["detect"], more: Partial<CatalogEntry> = {}): CatalogEntry {
	return { id: "other", name: "Other", kind: "api", detect, ...more };
}

test("on a bare machine the scripted model can answer, and the rest says why not and what to do", async () => {
	const list = await createCatalog({ environment: nowhere }).list();
	assert.deepEqual(list.available, [
		{
			provider: "script",
			id: "script-1",
			name: "Scripted",
			contextWindow: 200_000,
			maxTokens: 32_000,
			images: true,
			price: null,
			thinkingLevels: ["off", "minimal", "low", "medium", "high"],
		},
	]);
	assert.deepEqual(
		list.unavailable.map(({ provider, reason }) => [provider, reason]),
		[["claude-code", "Claude Code is not installed."]],
	);
	for (const { fix } of list.unavailable) assert.match(fix, /\.$/);
	assert.deepEqual(
		list.providers.map((each) => each.id),
		["claude-code", "script"],
	);
	assert.equal(list.refreshing, false);
});

test("the models can be called before anything was looked at", async () => {
	const catalog = createCatalog({ environment: () => new Promise(() => {}) });
	const model = catalog.models.getModel("script", "script-1")!;
	const messages = [{ role: "user" as const, content: "hello", timestamp: 1 }];
	const answer = await catalog.models.completeSimple(model, { messages });
	assert.equal(answer.stopReason, "stop");
	assert.deepEqual(catalog.defaultModel(), { provider: "script", modelId: "script-1" });
});

test("a provider that hangs holds the list up for two seconds once, and is given up after fifteen", async () => {
	const clock = testClock();
	let aborted = false;
	const hanging = entryThat(({ signal }) => {
		signal.addEventListener("abort", () => (aborted = true));
		return new Promise(() => {});
	});
	const catalog = createCatalog({ environment: nowhere, clock, entries: [hanging, scripted()] });
	const first = catalog.list();
	await clock.advance(2_000);
	const { available, unavailable, refreshing } = await first;
	assert.equal(available[0]?.id, "script-1");
	assert.match(unavailable[0]?.reason ?? "", /not known yet/);
	assert.equal(refreshing, true);
	assert.equal(aborted, false);
	await clock.advance(13_000);
	assert.equal(aborted, true);
	assert.match((await catalog.list()).unavailable[0]?.reason ?? "", /did not say within 15 s/);
});

test("a provider that throws, at once or later, is one line of the list", async () => {
	const entries = [
		entryThat(() => {
			throw new Error("at once");
		}),
		entryThat(() => Promise.reject("later"), { id: "second" }),
		scripted(),
	];
	const { available, unavailable } = await createCatalog({ environment: nowhere, entries }).list();
	assert.equal(available.length, 1);
	assert.deepEqual(
		unavailable.map(({ reason }) => /\((.*)\)/.exec(reason)?.[1]),
		["at once", "later"],
	);
});

test("what is known is told at once; once it is old it is looked up in the background, by one look for all", async () => {
	const clock = testClock();
	const looks: ((detection: Detection) => void)[] = [];
	const entry = entryThat(() => new Promise((resolve) => looks.push(resolve)), {
		provider: { ...createScriptedProvider(), id: "other" },
	});
	const catalog = createCatalog({ environment: nowhere, clock, entries: [entry, scripted()] });
	const first = catalog.list();
	looks[0]!({ available: false, reason: "Not yet.", fix: "Wait." });
	assert.equal((await first).unavailable[0]?.reason, "Not yet.");

	await clock.advance(29_000);
	await catalog.list();
	assert.equal(looks.length, 1);
	await clock.advance(1_000);
	const [again, beside] = await Promise.all([catalog.list(), catalog.list()]);
	assert.equal(looks.length, 2);
	assert.equal(again.unavailable[0]?.reason, "Not yet.");
	assert.equal(beside.refreshing, true);

	const refreshed = catalog.refresh();
	assert.equal(looks.length, 2);
	looks[1]!({ available: true, note: "Plan A" });
	await refreshed;
	const after = await catalog.list();
	assert.equal(after.unavailable.length, 0);
	assert.deepEqual(after.providers[0], { id: "other", name: "Other", kind: "api", note: "Plan A" });
	assert.equal(after.refreshing, false);
	assert.equal(catalog.defaultModel().modelId, "script-1");
});

test("the default is the first model of the preferred provider that can answer", async () => {
	const provider = createScriptedProvider();
	const better = { ...provider.getModels()[0]!, provider: "better", id: "better-1" };
	const entries = (available: boolean) => [
		entryThat(async () => (available ? { available } : { available, reason: "No.", fix: "None." }), {
			id: "better",
			provider: { ...provider, id: "better", getModels: () => [better] },
		}),
		scripted(),
	];
	for (const available of [true, false]) {
		const catalog = createCatalog({ environment: nowhere, entries: entries(available) });
		assert.deepEqual(catalog.defaultModel(), { provider: "script", modelId: "script-1" });
		await catalog.refresh();
		assert.equal(catalog.defaultModel().modelId, available ? "better-1" : "script-1");
	}
});

test("what a new session gets waits for the preferred that are still being asked, and is given up with them", async () => {
	const provider = createScriptedProvider();
	const model = { ...provider.getModels()[0]!, provider: "better", id: "better-1" };
	const better = { ...provider, id: "better", getModels: () => [model], getModel: () => model };
	const remembered = { provider: "script", modelId: "script-1" };
	for (const answers of [true, false]) {
		const clock = testClock();
		const given = Promise.withResolvers<Detection>();
		const slow = entryThat(() => given.promise, { id: "better", provider: better });
		const catalog = createCatalog({ environment: nowhere, clock, entries: [slow, scripted()] });
		let chosen: string | undefined;
		const choosing = catalog.chooseModel().then(({ modelId }) => {
			chosen = modelId;
		});
		await clock.advance(14_000);
		assert.equal(chosen, undefined);
		assert.equal(catalog.defaultModel().modelId, "script-1", "the list says what is known");
		assert.deepEqual(await catalog.chooseModel(remembered), remembered, "one that can answer is enough");
		if (answers) given.resolve({ available: true });
		else await clock.advance(1_000);
		await choosing;
		assert.equal(chosen, answers ? "better-1" : "script-1");
	}
});

test("a remembered model is waited for, whoever else can answer already", async () => {
	const provider = createScriptedProvider();
	const model = { ...provider.getModels()[0]!, provider: "other", id: "other-1" };
	const given = Promise.withResolvers<Detection>();
	const slow = entryThat(() => given.promise, {
		provider: { ...provider, id: "other", getModels: () => [model] },
	});
	const catalog = createCatalog({ environment: nowhere, entries: [scripted(), slow] });
	await catalog.chooseModel();
	const choosing = catalog.chooseModel({ provider: "other", modelId: "other-1" });
	given.resolve({ available: true });
	assert.equal((await choosing).modelId, "other-1");
});

test("keys in this process's environment are not used", async () => {
	const catalog = createCatalog({ environment: nowhere });
	const { models } = catalog;
	let asked: string | undefined = "never asked";
	const provider = createScriptedProvider();
	const entry = entryThat(async () => ({ available: true }), {
		provider: {
			...provider,
			id: "keyed",
			auth: {
				apiKey: {
					name: "key",
					resolve: async ({ ctx }) => {
						asked = await ctx.env("PATH");
						return undefined;
					},
				},
			},
		},
	});
	const keyed = createCatalog({ environment: nowhere, entries: [entry] });
	assert.equal(await keyed.models.getAuth("keyed"), undefined);
	assert.equal(asked, undefined);
	assert.equal((await models.getAuth("script"))?.source, "needs no key");
});
