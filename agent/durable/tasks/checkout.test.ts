import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createManualClock, type ManualClock } from "../testing/manual-clock.ts";
import { context, openTestHarness } from "../testing/open-harness.ts";
import { create } from "../testing/steps.ts";
import { openStore } from "../testing/stores.ts";
import { until } from "../testing/until.ts";
import { defineTask, type TaskId } from "../types/index.ts";
import type { Storage } from "../types/storage.ts";

type PaymentState = { phase: "prepare" } | { phase: "charge"; key: string } | { phase: "settle"; at: number };
type CheckoutState = { phase: "pay" } | { phase: "decide"; payments: TaskId<string>[] };

/** A shop whose cards can be charged once a key, and refunded; it outlives the process that uses it. */
function createShop() {
	const charged = new Map<string, string>();
	const log: string[] = [];
	return { charged, log, declined: new Set<string>() };
}

type Shop = ReturnType<typeof createShop>;

const SETTLING_MS = 60_000;

/** A card is charged once, then settles for a minute; aborted, it is refunded. */
function paymentTask({ charged, log, declined }: Shop) {
	return defineTask<{ card: string }, PaymentState, string>({
		name: "shop.payment",
		version: 1,
		initial: () => ({ phase: "prepare" }),
		phases: {
			prepare: async (task, runtime, ctx) => {
				const key = await runtime.memo("key", `${task.input.card}-${task.id}`, ctx);
				await runtime.commit(() => ({ status: "running", checkpoint: { phase: "charge", key } }), ctx);
			},
			charge: async (task, runtime, ctx) => {
				const { card } = task.input;
				if (declined.has(card)) {
					const outcome = { status: "failed", error: { message: `${card} was declined` } } as const;
					return runtime.commit(() => ({ status: "terminal", outcome }), ctx);
				}
				// The key makes it idempotent: a process that died here charges nothing again.
				if (!charged.has(task.state.checkpoint.key)) log.push(`charge ${card}`);
				charged.set(task.state.checkpoint.key, card);
				const at = runtime.now() + SETTLING_MS;
				await runtime.commit(() => ({ status: "running", checkpoint: { phase: "settle", at } }), ctx);
			},
			settle: async (task, runtime, ctx) => {
				await runtime.sleep(task.state.checkpoint.at, ctx);
				log.push(`settled ${task.input.card}`);
				const outcome = { status: "completed", result: task.input.card } as const;
				await runtime.commit(() => ({ status: "terminal", outcome }), ctx);
			},
		},
		abort: async (task, runtime, ctx) => {
			const key = await runtime.memo<string>("key", ctx);
			if (key !== undefined && charged.delete(key)) log.push(`refund ${task.input.card}`);
			await runtime.commit(() => ({ status: "terminal", outcome: { status: "aborted" } }), ctx);
		},
	});
}

function checkoutTask(shop: Shop, Payment: ReturnType<typeof paymentTask>) {
	return defineTask<{ cards: string[] }, CheckoutState, string>({
		name: "shop.checkout",
		version: 1,
		initial: () => ({ phase: "pay" }),
		phases: {
			pay: async (task, runtime, ctx) => {
				await runtime.commit(async (tx) => {
					const payments: TaskId<string>[] = [];
					for (const card of task.input.cards)
						payments.push(
							await tx.createTask(Payment, { card }, { ownership: { kind: "task", taskId: task.id } }),
						);
					return {
						status: "waiting",
						checkpoint: { phase: "decide", payments },
						on: payments,
						policy: "failFast",
					};
				}, ctx);
			},
			decide: async (task, runtime, ctx) => {
				const outcomes = await runtime.outcomes(task.state.checkpoint.payments, ctx);
				const statuses = outcomes.map(({ status }) => status).join();
				shop.log.push(`decided on ${statuses}`);
				const failure = outcomes.find(({ status }) => status === "failed");
				await runtime.commit(
					() =>
						failure?.status === "failed"
							? { status: "terminal", outcome: { status: "failed", error: failure.error } }
							: { status: "terminal", outcome: { status: "completed", result: statuses } },
					ctx,
				);
			},
		},
		abort: async (_task, runtime, ctx) => {
			shop.log.push("checkout cancelled");
			await runtime.commit(() => ({ status: "terminal", outcome: { status: "aborted" } }), ctx);
		},
	});
}

const CARDS = ["visa", "master", "amex", "diners"];

async function open(t: TestContext, shop: Shop, clock: ManualClock, storage?: Storage, closes = true) {
	const Payment = paymentTask(shop);
	const Checkout = checkoutTask(shop, Payment);
	const tasks = [Payment, Checkout];
	const opened = await openTestHarness(t, {
		tasks,
		clock,
		closes,
		...(storage === undefined ? {} : { storage }),
	});
	return { ...opened, Checkout };
}

const sorted = (lines: readonly string[]) => [...lines].sort();

test("a declined card ends the other payments with refunds, and the checkout sees every outcome", async (t) => {
	const shop = createShop();
	const { harness, root, Checkout } = await open(t, shop, createManualClock());
	const id = await create(root, Checkout, { cards: CARDS });
	shop.declined.add("master");
	const { outcome } = (await harness.waitForTask(id, context)).state;
	assert.deepEqual(outcome, { status: "failed", error: { message: "master was declined" } });
	assert.equal(shop.log.at(-1), "decided on aborted,failed,aborted,aborted");
	assert.equal(shop.charged.size, 0, "whoever was charged was refunded");
	const charges = shop.log.filter((line) => line.startsWith("charge")).length;
	assert.equal(shop.log.filter((line) => line.startsWith("refund")).length, charges);
});

test("a cancelled checkout refunds each payment before its own handler runs", async (t) => {
	const shop = createShop();
	const { harness, root, Checkout } = await open(t, shop, createManualClock());
	const id = await create(root, Checkout, { cards: CARDS });
	harness.resume();
	await until("all are charged", () => shop.charged.size === 4);
	await harness.abortTask(id, context);
	assert.equal((await harness.waitForTask(id, context)).state.outcome.status, "aborted");
	assert.deepEqual(sorted(shop.log.slice(4, -1)), sorted(CARDS.map((card) => `refund ${card}`)));
	assert.equal(shop.log.at(-1), "checkout cancelled");
});

test("a restart while payments settle charges nobody twice, and their timers fire in the next process", async (t) => {
	const shop = createShop();
	const clock = createManualClock();
	const { storage, reopen } = await openStore(t);
	const first = await open(t, shop, clock, storage, false);
	const id = await create(first.root, first.Checkout, { cards: CARDS });
	first.harness.resume();
	await until("all settle", () => clock.timers().length >= 4);
	await first.harness.close(context);
	await clock.advance(SETTLING_MS / 2);

	const next = await open(t, shop, clock, await reopen());
	const graph = await next.harness.taskGraph(context);
	assert.equal(graph.value.tasks[id]?.state.status, "waiting", "it waits on, and runs no code");
	next.harness.resume();
	await until("all settle again", () => clock.timers().length >= 4);
	assert.ok(!shop.log.some((line) => line.startsWith("settled")));
	await clock.advance(SETTLING_MS / 2);
	const { outcome } = (await next.harness.waitForTask(id, context)).state;
	assert.deepEqual(outcome, { status: "completed", result: "completed,completed,completed,completed" });
	assert.deepEqual(sorted(shop.log.slice(0, 4)), sorted(CARDS.map((card) => `charge ${card}`)));
	assert.deepEqual(sorted(shop.log.slice(4, 8)), sorted(CARDS.map((card) => `settled ${card}`)));
	assert.deepEqual(graph.value, { tasks: {} });
	graph.dispose();
});
