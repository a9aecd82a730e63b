/**
 * Programs of our own over the API that Pi Durable documents, importing what any program over it imports. They hold what
 * the two have in common: names, shapes of arguments, defaults and what can be observed.
 */
import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import {
	createModels,
	type FauxResponseStep,
	fauxAssistantMessage,
	fauxProvider,
	fauxToolCall,
	type Message,
} from "@earendil-works/pi-ai";
import { num, obj, str } from "@earendil-works/pi-schema";
import {
	AssistantEntry,
	ConversationBusy,
	configure,
	createRegistry,
	defineDoc,
	defineEntry,
	defineExtension,
	defineTask,
	defineTool,
	type Extension,
	GenerationTask,
	Harness,
	type HarnessOptions,
	hook,
	MemoryStorage,
	section,
	type TaskId,
	ToolTask,
	wrapSection,
	wrapTool,
} from "outlive/durable";
import { NodeExecutionEnv } from "outlive/durable/env/node";
import { openNodeJsonlStorage } from "outlive/durable/storage/jsonl/node";
import { openNodeSqliteStorage } from "outlive/durable/storage/sqlite/node";
import { registerEnvConformance, registerStorageConformance } from "outlive/durable/testing";
import { bashTool, CodingTools, createBashTool, readTool } from "outlive/durable/tools";
import { temporaryFolder } from "./testing/temporary-folder.ts";

const context = BACKGROUND_CONTEXT;
const model = { provider: "faux", modelId: "faux-1" };

/** A harness over a model that says these things in order. */
async function open(
	t: TestContext,
	says: readonly FauxResponseStep[],
	options: Partial<HarnessOptions> = {},
) {
	const faux = fauxProvider();
	faux.setResponses([...says]);
	const models = createModels();
	models.setProvider(faux.provider);
	const registry = createRegistry();
	const harness = await Harness.open(new MemoryStorage(), { models, registry, ...options }, context);
	t.after(() => harness.close(context));
	const root = await harness.root(context, { agent: { model } });
	return { harness, root, registry, faux };
}

const says = (text: string) => fauxAssistantMessage(text);
const calls = (...named: readonly (readonly [name: string, args: Record<string, unknown>])[]) =>
	fauxAssistantMessage(
		named.map(([name, args], index) => fauxToolCall(name, args as never, { id: `call-${index}` })),
		{ stopReason: "toolUse" },
	);

type Asked = Awaited<ReturnType<typeof open>>;

async function ask({ root }: Pick<Asked, "root">, content: string) {
	const submission = await root.submit({ type: "input", content }, context);
	return submission.wait(context);
}

async function resultTexts({ root }: Pick<Asked, "root">): Promise<string[]> {
	const { items } = await root.entries({ order: "ascending" }, 100, undefined, context);
	const messages: Message[] = items.flatMap((entry) => entry.model ?? []);
	return messages.flatMap((message) =>
		message.role === "toolResult"
			? [message.content.map((part) => (part.type === "text" ? part.text : "")).join("")]
			: [],
	);
}

describe("programs over the documented API", { timeout: 60_000 }, () => {
	it("ask, and read the answer as a typed entry", async (t) => {
		const program = await open(t, [says("Rome.")]);
		const settled = await ask(program, "Italy's capital?");
		assert.ok(settled.status === "done" && settled.type === "input");
		const answer = await program.root.commit((tx) => tx.entry(AssistantEntry, settled.answer), context);
		assert.equal(answer?.model?.[0]?.role, "assistant");
		const usage = await program.harness.usage(context);
		assert.deepEqual(Object.keys(usage.models), ["faux/faux-1"]);
	});

	it("find a submission again by its request id, in the next process too, on each storage that persists", async (t) => {
		const folder = await temporaryFolder(t);
		const stores = [
			() => openNodeSqliteStorage(join(folder, "session.sqlite")),
			() => openNodeJsonlStorage(join(folder, "session"), context, { fsync: true }),
		];
		const models = createModels();
		for (const openStore of stores) {
			const ids: number[] = [];
			const identities: unknown[] = [];
			for (let process = 0; process < 2; process++) {
				const harness = await Harness.open(
					await openStore(),
					{ models, registry: createRegistry() },
					context,
				);
				const root = await harness.root(context);
				harness.resume();
				const draft = { type: "input", content: "Hello", requestId: "greeting" } as const;
				const submission = await root.submit(draft, context);
				ids.push(submission.id, (await harness.submission(submission.id, context))!.id);
				const settled = await submission.wait(context);
				assert.ok(settled.status === "unanswered" && settled.reason === "no_model");
				const view = await root.viewState(context);
				identities.push(view.value.docs["pi.provider"]?.sessionId);
				view.dispose();
				await harness.close(context);
			}
			assert.equal(new Set(ids).size, 1);
			assert.equal(new Set(identities).size, 1, "the provider's identity survives");
		}
	});

	it("bring tools with schemas, stream output, end a run, and wrap whichever tool won", async (t) => {
		const heard: string[] = [];
		const program = await open(t, [calls(["repeat", { word: "ho", times: 3 }], ["end", {}])]);
		const repeat = defineTool({
			name: "repeat",
			description: "Repeats a word.",
			parameters: obj({ word: str(), times: num() }),
			execute: async ({ word, times }, api) => {
				for (let i = 0; i < times; i++) api.output(`${word} `);
				return { control: { terminate: true } };
			},
		});
		const end = defineTool({
			name: "end",
			description: "Ends the run.",
			parameters: { type: "object" },
			execute: async () => ({ content: [], control: { terminate: true } }),
		});
		program.registry.install(defineExtension({ name: "words", tools: [repeat, end] }));
		const around = wrapTool(repeat, (tool) => ({
			...tool,
			execute: (args, api, ctx) => {
				heard.push(args.word);
				return tool.execute(args, api, ctx);
			},
		}));
		program.registry.install(defineExtension({ name: "heard", wraps: [around] }));
		assert.equal((await ask(program, "go")).status, "done");
		assert.deepEqual(heard, ["ho"]);
		assert.equal((await resultTexts(program))[0], "ho ho ho ");
		assert.equal(program.faux.state.callCount, 1);
	});

	it("use the coding tools in an environment per conversation, and replace bash for some", async (t) => {
		const folder = realpathSync(await temporaryFolder(t));
		const env: HarnessOptions["env"] = ({ cwd }) => new NodeExecutionEnv({ cwd: cwd ?? "/" });
		const program = await open(
			t,
			[
				calls(["write", { path: "note", content: "one\n" }]),
				calls(["bash", { command: "cat note; echo $WHO" }]),
				says("done"),
			],
			{ env },
		);
		const { registry, root } = program;
		registry.install(CodingTools);
		registry.install(
			defineExtension({ name: "named", tools: [createBashTool({ commandPrefix: "export WHO=me" })] }),
		);
		await root.configure({ cwd: folder }, context);
		const { tools } = await root.agent(context);
		assert.deepEqual(
			tools.map(({ name }) => name),
			["read", "write", "edit", "bash"],
		);
		assert.equal((await ask(program, "go")).status, "done");
		assert.match((await resultTexts(program))[1]!, /one\nme/);

		const output = { stdout: "", stderr: "" };
		await new NodeExecutionEnv({ cwd: folder }).exec(
			["ls", "-1"],
			{
				onOutput: (text, _context, { stream }) => {
					output[stream] += text;
				},
			},
			context,
		);
		assert.deepEqual(output, { stdout: "note\n", stderr: "" });
	});

	it("choose an agent per conversation; null goes back to the host's, and settings are live", async (t) => {
		const Extra = defineExtension({ name: "extra", sections: [section("extra", () => "more")] });
		let chosen: readonly Extension[] = [CodingTools];
		const settings = {
			get extensions() {
				return chosen;
			},
			retry: { maxRetries: 1 },
			toolExecution: "sequential",
		} as const;
		const { root, registry } = await open(t, [], { settings });
		registry.install(CodingTools);
		registry.install(Extra);
		const seen = async () => {
			const agent = await root.agent(context);
			return [agent.tools.map(({ name }) => name).join(), agent.sections.map(({ key }) => key).join()];
		};
		assert.deepEqual(await seen(), ["read,write,edit,bash", ""]);
		await root.configure(
			{ extensions: { add: [Extra] }, tools: [bashTool, readTool], instructions: "Be brief." },
			context,
		);
		assert.deepEqual(await seen(), ["bash,read", "extra,instructions"]);
		await root.configure({ tools: { remove: [bashTool] }, instructions: null }, context);
		assert.deepEqual(await seen(), ["read,write,edit", "extra"]);
		await root.configure({ tools: null }, context);
		chosen = [];
		assert.deepEqual(await seen(), ["", "extra"]);
	});

	it("write the system prompt in sections, wrap one, and send only what changed", async (t) => {
		let place = "here";
		const Prompt = defineExtension({
			name: "prompt",
			sections: [
				section("preamble", () => "Answer briefly.", { tag: false }),
				section("place", () => place),
				section("never", () => undefined),
			],
			wraps: [
				wrapSection("place", (inner) => ({
					...inner,
					render: async (input, ctx) => `${await inner.render(input, ctx)}!`,
				})),
			],
		});
		const program = await open(t, [says("a"), says("b")]);
		program.registry.install(Prompt);
		await ask(program, "one");
		place = "there";
		await ask(program, "two");
		const { items } = await program.root.entries({ order: "ascending" }, 50, undefined, context);
		const sections = items.flatMap(({ model }) =>
			(model ?? []).flatMap((message) => (message.role === "system" ? [message.sections] : [])),
		);
		assert.deepEqual(sections, [
			{ preamble: "Answer briefly.", place: "<place>\nhere!\n</place>" },
			{ place: "<place>\nthere!\n</place>" },
		]);
	});

	it("guard calls, keep a run going, and note what was cancelled", async (t) => {
		const Cancelled = defineDoc<{ notes: Record<string, string> }>({
			kind: "test.cancelled",
			version: 1,
			scope: "session",
			initial: () => ({ notes: {} }),
		});
		let nudges = 0;
		const begun = Promise.withResolvers<TaskId>();
		const program = await open(t, [
			calls(["forbidden", {}]),
			says("so far"),
			says("all"),
			calls(["endless", {}]),
		]);
		const { registry, harness, root } = program;
		const endless = defineTool({
			name: "endless",
			description: "Never ends by itself.",
			parameters: obj({}),
			execute: (_args, api, ctx) => {
				begun.resolve(api.taskId);
				return new Promise((_resolve, reject) => {
					ctx.abortSignal?.addEventListener("abort", () => reject(ctx.abortSignal?.reason));
				});
			},
		});
		registry.install(
			defineExtension({
				name: "guard",
				tools: [endless, { ...endless, name: "forbidden" }],
				hooks: [
					hook(ToolTask, {
						beforeTool: (call) => (call.name === "forbidden" ? { block: "not here" } : undefined),
						onAbort: async (_call, result, api, ctx) => {
							const note = (await api.snapshot(Cancelled, ctx))?.notes[String(api.taskId)];
							if (note === undefined) return undefined;
							return { ...result, content: [...(result.content ?? []), { type: "text", text: note }] };
						},
					}),
					hook(GenerationTask, { onYield: () => (nudges++ === 0 ? { continue: "Go on." } : undefined) }),
				],
			}),
		);
		assert.equal((await ask(program, "go")).status, "done");
		assert.match((await resultTexts(program))[0]!, /not here/);
		assert.equal(nudges, 2);

		const running = await root.submit({ type: "input", content: "go" }, context);
		const id = await begun.promise;
		await harness.commit(async (tx) => {
			(await tx.doc(Cancelled)).notes[String(id)] = "changed my mind";
		}, context);
		await root.abort(context);
		assert.equal((await running.wait(context)).status, "unanswered");
		assert.match((await resultTexts(program))[1]!, /changed my mind/);
	});

	it("watch a conversation, queue while it is busy, reset and fork it", async (t) => {
		const release = Promise.withResolvers<void>();
		const held: FauxResponseStep = async () => {
			await release.promise;
			return says("1");
		};
		const { root, harness } = await open(t, [held, says("2"), says("3")]);
		const view = await root.viewState(context);
		const watch = await root.watch(context);
		let operations = 0;
		watch.start(async (_value, ops) => {
			operations += ops.length;
		});
		const first = await root.submit({ type: "input", content: "first" }, context);
		await root.submit({ type: "input", content: "then" }, context);
		await root.submit({ type: "input", content: "now", whenBusy: "steer" }, context);
		const refused = root.submit({ type: "input", content: "only if idle", whenBusy: "reject" }, context);
		await assert.rejects(refused, ConversationBusy);
		const Note = defineEntry<string>("test.note");
		await root.submit({ type: "write", entry: { kind: Note.kind, data: "a note" } }, context);
		release.resolve();
		await root.waitForIdle(context);
		assert.equal((await first.wait(context)).status, "done");
		assert.ok(view.value.entries.some((entry) => Note.is(entry) && entry.data === "a note"));
		const kinds = ["pi.agent", "pi.live", "pi.inbox", "pi.provider", "pi.usage"];
		assert.deepEqual(
			kinds.filter((kind) => !(kind in view.value.docs)),
			[],
		);

		const last = view.value.entries.at(-1)!;
		const fork = await root.fork(last.id, { ownership: { kind: "ownerless" } }, context);
		await root.reset("Start over.", context);
		assert.equal((await root.context(context)).messages.length, 1);
		assert.ok((await fork.context(context)).messages.length > 1);
		view.dispose();
		await watch.stop();
		assert.ok(operations > 0);
		const other = await harness.createConversation({ ownership: { kind: "ownerless" } }, context);
		assert.notEqual(other.id, fork.id);
	});

	it("keep documents of their own, made with each conversation, and watch one", async (t) => {
		const Steps = defineDoc<{ done: string[] }>({
			kind: "test.steps",
			version: 1,
			scope: "conversation",
			history: "rewindable",
			fork: "asOf",
			initial: () => ({ done: [] }),
		});
		const conversationCreated: HarnessOptions["conversationCreated"] = async (tx, { id }) => {
			(await tx.doc(Steps, id)).done.push("created");
		};
		const { harness, root } = await open(t, [], { conversationCreated });
		const entry = await root.commit(async (tx) => {
			(await tx.doc(Steps, root.id)).done.push("begun");
			return tx.appendEntry(root.id, { kind: "test.mark" });
		}, context);
		const state = await harness.documentState(Steps, root.id, context);
		await root.commit(async (tx) => {
			(await tx.doc(Steps, root.id)).done.push("ended");
		}, context);
		assert.deepEqual(state?.value, { done: ["created", "begun", "ended"] });
		assert.deepEqual(await harness.snapshotAsOf(Steps, root.id, entry.id, context), {
			done: ["created", "begun"],
		});
		state?.dispose();
	});

	it("delegate to a conversation that the call owns", async (t) => {
		const program = await open(t, [calls(["helper", { task: "add" }]), says("2"), says("It is 2.")]);
		const Helper: Extension = defineExtension({
			name: "helper",
			tools: [
				defineTool({
					name: "helper",
					description: "Hands a task to a helper.",
					parameters: obj({ task: str() }),
					replay: "safe",
					execute: async ({ task }, api, ctx) => {
						const child = await api.commit(async (tx) => {
							const known = (await tx.scanConversations({ ownerTaskId: api.taskId }, 1)).items[0];
							if (known !== undefined) return known.id;
							const made = await tx.createConversation({ ownership: { kind: "task", taskId: api.taskId } });
							await configure(tx, made.id, { extensions: { remove: [Helper] } });
							return made.id;
						}, ctx);
						await api.details({ conversationId: child }, ctx);
						const handle = (await api.conversation(child, ctx))!;
						const request = { type: "input", content: task, requestId: `helper:${api.taskId}` } as const;
						const settled = await (await handle.submit(request, ctx)).wait(ctx);
						return { content: [{ type: "text", text: settled.status }] };
					},
				}),
			],
		});
		program.registry.install(Helper);
		assert.equal((await ask(program, "go")).status, "done");
		assert.deepEqual(await resultTexts(program), ["done"]);
	});

	it("wait for child tasks, the first failure ending the others, and show the live ones", async (t) => {
		const Leg = defineTask<{ to: string }, { phase: "book" }, string>({
			name: "test.leg",
			version: 1,
			initial: () => ({ phase: "book" }),
			phases: {
				book: async (task, runtime, ctx) => {
					const { to } = task.input;
					if (to === "nowhere")
						return runtime.commit(
							() => ({ status: "terminal", outcome: { status: "failed", error: { message: "full" } } }),
							ctx,
						);
					await runtime.sleep(Number.MAX_SAFE_INTEGER, ctx);
				},
			},
			abort: async (_task, runtime, ctx) =>
				runtime.commit(() => ({ status: "terminal", outcome: { status: "aborted" } }), ctx),
		});
		type Trip = { phase: "book" } | { phase: "decide"; legs: TaskId<string>[] };
		const Trip = defineTask<{ to: string[] }, Trip, string>({
			name: "test.trip",
			version: 1,
			initial: () => ({ phase: "book" }),
			phases: {
				book: async (task, runtime, ctx) =>
					runtime.commit(async (tx) => {
						const legs: TaskId<string>[] = [];
						for (const to of task.input.to)
							legs.push(await tx.createTask(Leg, { to }, { ownership: { kind: "task", taskId: task.id } }));
						return { status: "waiting", checkpoint: { phase: "decide", legs }, on: legs, policy: "failFast" };
					}, ctx),
				decide: async (task, runtime, ctx) => {
					const outcomes = await runtime.outcomes(task.state.checkpoint.legs, ctx);
					const result = outcomes.map(({ status }) => status).join();
					await runtime.commit(() => ({ status: "terminal", outcome: { status: "completed", result } }), ctx);
				},
			},
			abort: async () => {},
		});
		const { harness, root, registry } = await open(t, []);
		registry.install(defineExtension({ name: "trips", tasks: [Leg, Trip] }));
		const graph = await harness.taskGraph(context);
		const id = await root.commit(
			(tx) => tx.createTask(Trip, { to: ["a", "nowhere", "b"] }, { ownership: { kind: "conversation" } }),
			context,
		);
		assert.equal(graph.value.tasks[id]?.kind, "test.trip");
		assert.equal((await harness.inspect(context)).tasks[0]?.state.kind, "ready");
		const { state } = await harness.waitForTask(id, context);
		assert.deepEqual(state.outcome, { status: "completed", result: "aborted,failed,aborted" });
		assert.deepEqual(graph.value.tasks, {});
		graph.dispose();
	});

	it("check a storage and an environment of their own", () => {
		const registered: string[] = [];
		const runner = {
			describe: (_name: string, body: () => void) => body(),
			it: (name: string) => void registered.push(name),
			expect: () => {},
		};
		registerStorageConformance(runner, "Mine", async (use) => use(new MemoryStorage()));
		registerEnvConformance(runner, "Mine", async (use) => use(new NodeExecutionEnv({ cwd: "/" })));
		assert.ok(registered.length > 70);
	});
});
