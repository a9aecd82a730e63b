/**
 * A checkout that owns a payment for each card and waits for all of them. One card is declined: the payments that went
 * through are paid back, each by its own abort handler, before the checkout fails.
 */
import {
	createRegistry,
	defineExtension,
	defineTask,
	Harness,
	MemoryStorage,
	type TaskId,
} from "outlive/durable";
import { context, scriptedModel } from "./said.ts";

/** Stands for the bank: what was charged, until it is paid back. */
const charged = new Set<string>();

type PaymentState = { phase: "charge" } | { phase: "settle" };

const Payment = defineTask<{ card: string }, PaymentState, string>({
	name: "example.payment",
	version: 1,
	initial: () => ({ phase: "charge" }),
	phases: {
		charge: async (task, runtime, context) => {
			const { card } = task.input;
			if (card === "declined") {
				const error = { message: `The card ${card} was declined.` };
				await runtime.commit(() => ({ status: "terminal", outcome: { status: "failed", error } }), context);
				return;
			}
			charged.add(card);
			console.log(`charged ${card}`);
			await runtime.commit(() => ({ status: "running", checkpoint: { phase: "settle" } }), context);
		},
		// The bank takes its time: it is still busy when another card is declined.
		settle: async (_task, runtime, context) => {
			await runtime.sleep(runtime.now() + 3_600_000, context);
		},
	},
	abort: async (task, runtime, context) => {
		if (charged.delete(task.input.card)) console.log(`paid ${task.input.card} back`);
		await runtime.commit(() => ({ status: "terminal", outcome: { status: "aborted" } }), context);
	},
});

type CheckoutState = { phase: "pay" } | { phase: "decide"; payments: TaskId<string>[] };

const Checkout = defineTask<{ cards: string[] }, CheckoutState, string>({
	name: "example.checkout",
	version: 1,
	initial: () => ({ phase: "pay" }),
	phases: {
		pay: async (task, runtime, context) => {
			await runtime.commit(async (tx) => {
				const payments: TaskId<string>[] = [];
				const ownership = { kind: "task", taskId: task.id } as const;
				for (const card of task.input.cards)
					payments.push(await tx.createTask(Payment, { card }, { ownership }));
				// The first that fails aborts the others; this goes on once all have ended.
				const checkpoint = { phase: "decide", payments } as const;
				return { status: "waiting", checkpoint, on: payments, policy: "failFast" };
			}, context);
		},
		decide: async (task, runtime, context) => {
			const outcomes = await runtime.outcomes(task.state.checkpoint.payments, context);
			const failure = outcomes.find(({ status }) => status === "failed");
			console.log(`payments: ${outcomes.map(({ status }) => status).join(", ")}`);
			await runtime.commit(
				() => ({
					status: "terminal",
					outcome:
						failure?.status === "failed"
							? { status: "failed", error: failure.error }
							: { status: "completed", result: "paid" },
				}),
				context,
			);
		},
	},
	abort: async (_task, runtime, context) => {
		await runtime.commit(() => ({ status: "terminal", outcome: { status: "aborted" } }), context);
	},
});

const registry = createRegistry();
registry.install(defineExtension({ name: "shop", tasks: [Payment, Checkout] }));
const options = { models: scriptedModel(), registry };
const harness = await Harness.open(new MemoryStorage(), options, context);
const root = await harness.root(context);
const id = await root.commit(
	(tx) =>
		tx.createTask(
			Checkout,
			{ cards: ["blue", "green", "declined"] },
			{ ownership: { kind: "conversation" } },
		),
	context,
);
harness.resume();
const { outcome } = (await harness.waitForTask(id, context)).state;
console.log(`checkout: ${outcome.status}`, outcome.status === "failed" ? outcome.error.message : "");
console.log(`still charged: ${charged.size}`);
await harness.close(context);

/* prints:
charged blue
charged green
paid blue back
paid green back
payments: aborted, aborted, failed
checkout: failed The card declined was declined.
still charged: 0
*/
