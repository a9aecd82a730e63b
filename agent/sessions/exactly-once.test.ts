import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { until } from "../../build/test/until.mjs";
import { isIdle, reached, saidIn, sqliteIn, withGround } from "./testing/ground.ts";
import { refused } from "./testing/refused.ts";

const CLIENT = fileURLToPath(new URL("./testing/client.ts", import.meta.url));

/** How often a run of the client may die before the last one gets through. */
const MOST_DEATHS = 40;

async function runClient(
	home: string,
	requests: object,
	crashAt: string | undefined,
): Promise<"done" | "killed"> {
	const env = { ...process.env, ...(crashAt === undefined ? {} : { OUTLIVE_CRASH_AT: crashAt }) };
	const child = spawn(process.execPath, [CLIENT, home, JSON.stringify(requests)], {
		env,
		stdio: ["ignore", "pipe", "pipe"],
	});
	let errors = "";
	child.stderr.on("data", (piece) => {
		errors += piece;
	});
	child.stdout.resume();
	const [code, signal] = await once(child, "close");
	if (signal === "SIGKILL") return "killed";
	assert.equal(code, 0, errors);
	return "done";
}

for (const point of ["commit:before", "commit:after"])
	it(`create, send and fork take effect once when the process is killed at every ${point}, and the client tries again`, async () => {
		await withGround(async (ground) => {
			const directory = await ground.folder("app");
			const contents = ["one", "two", "three"];
			const requests = {
				create: { directory, content: "zero", requestId: "create" },
				sends: contents.map((content) => ({ content, requestId: `send-${content}` })),
				fork: { requestId: "fork" },
			};
			let deaths = 0;
			for (let pass = 1; ; pass++) {
				const result = await runClient(ground.home, requests, `${point}:${pass}`);
				if (result === "done") break;
				deaths++;
				assert.ok(deaths < MOST_DEATHS, "it dies again and again");
			}
			assert.ok(deaths >= contents.length, `only ${deaths} deaths`);

			const { sessions, harness } = await ground.open({ storage: await sqliteIn(ground.home) });
			const [session, ...others] = sessions.list({ archived: true }).toSorted((a, b) => a.id - b.id);
			const { id } = session!;
			assert.deepEqual(
				others.map(({ record }) => record.forkedFrom?.session),
				[id],
			);
			harness.resume();
			await until("the harness has taken up what was left", async () => {
				return (await harness.inspect(BACKGROUND_CONTEXT)).scheduling === "running";
			});
			// So many deaths in a row may have left it to a person; a message lets it go on.
			await sessions.send({ id, content: "last", requestId: "last" });
			await reached(sessions, id, isIdle);
			assert.deepEqual(await saidIn(harness, id), ["zero", ...contents, "last"]);
			assert.equal(session!.record.title, "zero");
		});
	});

it("the same requests to a process that opens the store later get the first answers", async () => {
	await withGround(async (ground) => {
		const directory = await ground.folder("app");
		const create = { directory, content: "zero", requestId: "create" };
		const first = await ground.open({ storage: await sqliteIn(ground.home) });
		const created = await first.sessions.create(create);
		const send = { id: created.id, content: "one", requestId: "send" };
		const sent = await first.sessions.send(send);
		await reached(first.sessions, created.id, isIdle);
		await first.close();

		const { sessions, harness } = await ground.open({ storage: await sqliteIn(ground.home) });
		const again = await sessions.create(create);
		assert.deepEqual([again.id, again.submission?.id], [created.id, created.submission?.id]);
		assert.equal((await sessions.send(send)).id, sent.id);
		await assert.rejects(sessions.send({ ...send, content: "two" }), refused("request_id_reused"));
		assert.deepEqual(await saidIn(harness, created.id), ["zero", "one"]);
	});
});
