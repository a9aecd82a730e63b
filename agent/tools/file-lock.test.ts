import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT, withCancel } from "@earendil-works/chord/context";
import { withFileLock } from "./file-lock.ts";

const context = BACKGROUND_CONTEXT;

describe("The lock of a file", () => {
	it("runs changes of one file in the order they were asked for, and of others at once", async () => {
		const order: string[] = [];
		const gate = Promise.withResolvers<void>();
		const change = (id: string, path: string, name: string, until?: Promise<void>) =>
			withFileLock({ id }, path, context, async () => {
				order.push(`${name} begins`);
				await until;
				order.push(`${name} ends`);
			});
		const first = change("env", "/a", "first", gate.promise);
		const second = change("env", "/a", "second");
		await Promise.all([change("env", "/b", "other file"), change("other env", "/a", "other env")]);
		assert.ok(!order.includes("second begins"));
		gate.resolve();
		await Promise.all([first, second]);
		assert.deepEqual(order.slice(-3), ["first ends", "second begins", "second ends"]);
	});

	it("passes on after a failure, and after a waiter gave up", async () => {
		const gate = Promise.withResolvers<void>();
		const failing = withFileLock({ id: "env" }, "/a", context, async () => {
			await gate.promise;
			throw new Error("failed");
		});
		const { context: cancellable, cancel } = withCancel(context);
		const gone = withFileLock({ id: "env" }, "/a", cancellable, async () => assert.fail("must not run"));
		const last = withFileLock({ id: "env" }, "/a", context, async () => "done");
		cancel(new Error("stopped"));
		await assert.rejects(gone, /stopped/);
		gate.resolve();
		await assert.rejects(failing, /failed/);
		assert.equal(await last, "done");
	});
});
