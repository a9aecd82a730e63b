import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { AgentDoc } from "../durable/index.ts";
import { isIdle, reached, SCRIPTED, saidIn, withGround } from "./testing/ground.ts";
import { refused } from "./testing/refused.ts";

const context = BACKGROUND_CONTEXT;

describe("create", () => {
	it("makes conversation, record, choices and first message in one commit", async () => {
		await withGround(async (ground) => {
			const { sessions, harness } = await ground.open();
			const directory = await ground.folder("code/app");
			const commits: number[] = [];
			harness.subscribeCommits(({ conversations }) => commits.push(conversations.length));
			const { id, submission } = await sessions.create({
				directory,
				content: "# Fix the build\nplease",
				requestId: "r1",
			});
			assert.equal(commits[0], 1);
			assert.equal(submission?.conversationId, id);
			const { record, model } = sessions.get(id)!;
			assert.deepEqual(
				{ ...record, createdAt: 0 },
				{
					directory,
					title: "Fix the build",
					titleFrom: "message",
					createdAt: 0,
				},
			);
			assert.deepEqual(model, SCRIPTED);
			assert.equal((await harness.snapshot(AgentDoc, id, context))?.cwd, directory);
			await reached(sessions, id, isIdle);
			assert.deepEqual(await saidIn(harness, id), ["# Fix the build\nplease"]);
		});
	});

	it("without a message makes an idle session named after its folder", async () => {
		await withGround(async (ground) => {
			const { sessions } = await ground.open();
			const created = await sessions.create({ directory: await ground.folder("api"), requestId: "r1" });
			assert.equal(created.submission, null);
			const snapshot = sessions.get(created.id)!;
			assert.deepEqual(snapshot.activity, { kind: "idle" });
			assert.equal(snapshot.record.title, "api");
			assert.equal(snapshot.unread, false);
			assert.equal(snapshot.updatedAt, snapshot.record.createdAt);
		});
	});

	it("answers the same request as before, also when the folder has gone since", async () => {
		await withGround(async (ground) => {
			const { sessions, harness } = await ground.open();
			const directory = await ground.folder("app");
			const request = { directory, content: "hello", requestId: "r1" };
			const [first, second] = await Promise.all([sessions.create(request), sessions.create(request)]);
			await rm(directory, { recursive: true });
			const third = await sessions.create(request);
			assert.deepEqual([second.id, third.id], [first.id, first.id]);
			assert.equal(third.submission?.id, first.submission?.id);
			assert.equal(sessions.list().length, 1);
			assert.deepEqual(await saidIn(harness, first.id), ["hello"]);
		});
	});

	it("refuses a request id that was used for something else, and does nothing", async () => {
		await withGround(async (ground) => {
			const { sessions, harness } = await ground.open();
			const directory = await ground.folder("app");
			const { id } = await sessions.create({ directory, requestId: "r1" });
			const reused = refused("request_id_reused", /"r1"/);
			await assert.rejects(sessions.create({ directory, content: "hello", requestId: "r1" }), reused);
			await assert.rejects(sessions.send({ id, content: "hello", requestId: "r1" }), reused);
			assert.equal(sessions.list().length, 1);
			assert.deepEqual(await saidIn(harness, id), []);
		});
	});

	it("refuses a model that can't answer, and leaves its request id free", async () => {
		await withGround(async (ground) => {
			const { sessions } = await ground.open();
			const directory = await ground.folder("app");
			const model = { provider: "nobody", modelId: "m" };
			await assert.rejects(
				sessions.create({ directory, model, requestId: "r1" }),
				refused("model_unavailable", /nobody\/m/),
			);
			assert.deepEqual(sessions.list({ archived: true }), []);
			await sessions.create({ directory, requestId: "r1" });
		});
	});
});

describe("folders", () => {
	it("that are missing, files, or not absolute are refused with what to do", async () => {
		await withGround(async (ground) => {
			const { sessions } = await ground.open();
			const file = join(await ground.folder("app"), "file");
			await writeFile(file, "");
			await symlink("loop", join(ground.home, "loop"));
			for (const [directory, sentence] of [
				[join(ground.home, "nowhere"), /There is no folder .*nowhere/],
				[file, /is a file, not a folder/],
				[join(file, "below"), /leads through a file/],
				["app", /not an absolute path/],
				["/a\0b", /not an absolute path/],
				[join(ground.home, "loop"), /in a circle/],
			] as const)
				await assert.rejects(
					sessions.create({ directory, requestId: "r1" }),
					refused("folder_missing", sentence),
				);
			assert.deepEqual(sessions.list(), []);
		});
	});

	it("in the home directory are allowed, never home itself or the whole disk", async () => {
		await withGround(async (ground) => {
			const { sessions } = await ground.open();
			await ground.folder("app");
			await symlink(ground.home, join(ground.home, "me"));
			for (const [directory, sentence] of [
				[ground.home, /the home folder itself/],
				[join(ground.home, "me"), /the home folder itself/],
				["/", /the whole disk/],
			] as const) {
				await assert.rejects(
					sessions.create({ directory, requestId: "r1" }),
					refused("folder_not_allowed", sentence),
				);
				await assert.rejects(sessions.allow(directory), refused("folder_not_allowed", sentence));
			}
			const { id } = await sessions.create({ directory: join(ground.home, "me/app/"), requestId: "r1" });
			assert.equal(sessions.get(id)?.record.directory, join(ground.home, "app"));
		});
	});

	it("outside are judged by where links lead, and allowed by one step", async () => {
		const outside = await realpath(await mkdtemp(join(tmpdir(), "outlive it's-")));
		try {
			await withGround(async (ground) => {
				const { sessions } = await ground.open();
				const link = join(await ground.folder("app"), "out");
				await symlink(outside, link);
				const quoted = outside.replaceAll("'", "'\\''");
				await assert.rejects(sessions.create({ directory: link, requestId: "r1" }), (error: Error) => {
					assert.ok(refused("folder_not_allowed")(error));
					assert.ok(error.message.endsWith(`run: outlive allow '${quoted}'`), error.message);
					return true;
				});
				assert.deepEqual(await sessions.allow(link), { directory: outside, added: true });
				assert.deepEqual(await sessions.allow(outside), { directory: outside, added: false });
				assert.deepEqual(await sessions.roots(), [outside]);
				const { id } = await sessions.create({ directory: link, requestId: "r1" });
				assert.equal(sessions.get(id)?.record.directory, outside);
			});
		} finally {
			await rm(outside, { recursive: true });
		}
	});

	it("under a root of the settings are allowed, a sibling with the same beginning is not", async () => {
		const outside = await realpath(await mkdtemp(join(tmpdir(), "outlive-root-")));
		try {
			await withGround(async (ground) => {
				for (const name of ["work/app", "workshop"]) await mkdir(join(outside, name), { recursive: true });
				const roots = [`${outside}/work/`, `${outside}/gone`];
				const { sessions } = await ground.open({ allowedRoots: () => roots });
				await sessions.create({ directory: join(outside, "work"), requestId: "r1" });
				await sessions.create({ directory: join(outside, "work/app"), requestId: "r2" });
				await assert.rejects(
					sessions.create({ directory: join(outside, "workshop"), requestId: "r3" }),
					refused("folder_not_allowed"),
				);
				assert.deepEqual(await sessions.allow(join(outside, "work/app")), {
					directory: join(outside, "work/app"),
					added: false,
				});
			});
		} finally {
			await rm(outside, { recursive: true });
		}
	});

	it("are listed as projects, newest use first, with what is missing", async () => {
		const outside = await realpath(await mkdtemp(join(tmpdir(), "outlive-root-")));
		try {
			await withGround(async (ground) => {
				let now = 1_000;
				const clock = { now: () => now++, monotonic: () => 0, after: () => () => {} };
				const { sessions } = await ground.open({ clock });
				const gone = await ground.folder("gone");
				const app = await ground.folder("app");
				await sessions.create({ directory: app, requestId: "r1" });
				await sessions.create({ directory: gone, requestId: "r2" });
				await sessions.allow(outside);
				await sessions.create({ directory: app, requestId: "r3" });
				await rm(gone, { recursive: true });
				assert.deepEqual(
					(await sessions.projects()).map(({ directory, sessions: count, missing }) => [
						directory,
						count,
						missing,
					]),
					[
						[app, 2, false],
						[outside, 0, false],
						[gone, 1, true],
					],
				);
			});
		} finally {
			await rm(outside, { recursive: true });
		}
	});
});
