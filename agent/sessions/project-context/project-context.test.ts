import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { createModels, type SystemMessage } from "@earendil-works/pi-ai";
import type { FileSystem } from "../../durable/env/file-system.ts";
import { createFilesOnlyEnv } from "../../durable/env/memory-env.ts";
import { createMemoryFileSystem } from "../../durable/env/memory-file-system.ts";
import {
	type Clock,
	createRegistry,
	Harness,
	MemoryStorage,
	type PromptInput,
	SystemEntry,
	systemClock,
} from "../../durable/index.ts";
import { createScriptedProvider } from "../../models/scripted/provider.ts";
import { SCRIPTED } from "../testing/ground.ts";
import { FILE_BYTES } from "./instructions.ts";
import { createProjectContext } from "./project-context.ts";

const context = BACKGROUND_CONTEXT;
const HOME = "/home/user";

function clockAt(time: () => number): Clock {
	return { ...systemClock, now: time };
}

/** The sections' texts by key, those that are there. */
async function render(
	fs: FileSystem | undefined,
	extension = createProjectContext({ platform: "TestOS 1" }),
): Promise<Record<string, string>> {
	const texts: Record<string, string> = {};
	for (const section of extension.sections ?? []) {
		const text = await section.render({ env: fs && createFilesOnlyEnv(fs) } as PromptInput, context);
		if (text !== undefined) texts[section.key] = text;
	}
	return texts;
}

const write = (fs: FileSystem, path: string, text: string) =>
	fs.writeFileAtomic(path, new TextEncoder().encode(text), {}, context);

describe("project context", () => {
	it("says what the agent is, where it works and which day it is, also without any files", async () => {
		const fs = createMemoryFileSystem({ cwd: `${HOME}/app`, home: HOME });
		const clock = clockAt(() => new Date(2031, 4, 3, 23, 59).getTime());
		const texts = await render(fs, createProjectContext({ platform: "TestOS 1", clock }));
		assert.deepEqual(Object.keys(texts), ["about", "environment", "date"]);
		assert.match(texts.about!, /coding agent in Outlive/);
		assert.equal(texts.environment, `Platform: TestOS 1\nWorking folder: ${HOME}/app`);
		assert.equal(texts.date, "Today is Saturday, 2031-05-03.");
		assert.deepEqual(Object.keys(await render(undefined)), ["about", "date"]);
	});

	it("stays the same within a day", async () => {
		let now = new Date(2031, 4, 3, 0, 0).getTime();
		const extension = createProjectContext({ clock: clockAt(() => now) });
		const first = await render(undefined, extension);
		now = new Date(2031, 4, 3, 23, 59).getTime();
		assert.deepEqual(await render(undefined, extension), first);
		now = new Date(2031, 4, 4, 0, 0).getTime();
		assert.notEqual((await render(undefined, extension)).date, first.date);
	});

	it("has the instructions from the repository's root down to the folder, the most general first", async () => {
		const fs = createMemoryFileSystem({
			cwd: `${HOME}/repo/packages/one`,
			home: HOME,
			files: {
				[`${HOME}/AGENTS.md`]: "for all",
				[`${HOME}/.claude/CLAUDE.md`]: "for all, too",
				[`${HOME}/repo/.git/HEAD`]: "ref: refs/heads/main\n",
				[`${HOME}/repo/AGENTS.md`]: "at the root",
				[`${HOME}/repo/CLAUDE.md`]: "at the root\n",
				[`${HOME}/repo/packages/CLAUDE.md`]: "in the middle",
				[`${HOME}/repo/packages/one/AGENTS.md`]: "nearest",
				[`${HOME}/repo/packages/two/AGENTS.md`]: "beside",
			},
		});
		const texts = await render(fs);
		assert.match(texts["user-instructions"]!, /for all\n\n.*for all, too$/s);
		assert.match(texts["project-instructions"]!, /at the root\n\n.*in the middle\n\n.*nearest$/s);
		assert.equal(texts["project-instructions"]!.split("at the root").length, 2);
		assert.doesNotMatch(texts["project-instructions"]!, /beside|for all/);
		assert.equal(texts.git, `The Git repository at ${HOME}/repo has checked out branch main.`);
	});

	it("without a repository has the folder's own instructions only, also when home is one", async () => {
		const fs = createMemoryFileSystem({
			cwd: `${HOME}/code/app`,
			home: HOME,
			files: {
				[`${HOME}/.git/HEAD`]: "ref: refs/heads/dotfiles\n",
				[`${HOME}/code/AGENTS.md`]: "above",
				[`${HOME}/code/app/AGENTS.md`]: "mine",
			},
		});
		const texts = await render(fs);
		assert.match(texts["project-instructions"]!, /mine$/);
		assert.doesNotMatch(texts["project-instructions"]!, /above/);
		assert.equal(texts.git, undefined);
	});

	it("knows a worktree's branch and a commit on no branch", async () => {
		const fs = createMemoryFileSystem({
			cwd: `${HOME}/tree`,
			home: HOME,
			files: {
				[`${HOME}/tree/.git`]: "gitdir: ../repo/.git/worktrees/tree\n",
				[`${HOME}/repo/.git/worktrees/tree/HEAD`]: "ref: refs/heads/feature/x\n",
			},
		});
		assert.match((await render(fs)).git!, /has checked out branch feature\/x\.$/);
		await write(fs, `${HOME}/repo/.git/worktrees/tree/HEAD`, `${"0123456789".repeat(4)}\n`);
		assert.match((await render(fs)).git!, /has checked out commit 012345678901, on no branch\.$/);
		await write(fs, `${HOME}/repo/.git/worktrees/tree/HEAD`, "a secret\n");
		assert.equal((await render(fs)).git, `The Git repository at ${HOME}/tree.`);
	});

	it("cuts a long file with a mark, and leaves the most general ones out when all together are too long", async () => {
		const files = Object.fromEntries(
			["repo", "repo/a", "repo/a/b", "repo/a/b/c"].map((folder) => [
				`${HOME}/${folder}/AGENTS.md`,
				`${folder} ${"é".repeat(FILE_BYTES)}`,
			]),
		);
		const fs = createMemoryFileSystem({ cwd: `${HOME}/repo/a/b/c`, home: HOME, files });
		await fs.mkdir(`${HOME}/repo/.git`, context);
		const text = (await render(fs))["project-instructions"]!;
		assert.match(text, /\[Cut: the first 32768 of \d+ bytes are shown\. Read the file for the rest\.\]$/);
		assert.ok(Buffer.byteLength(text) < 100 * 1024);
		assert.doesNotMatch(text, /\ufffd/);
		assert.match(text, /repo\/AGENTS\.md:\n\[it is left out/);
	});

	it("reads no link that leads out of the project, and says so", async () => {
		const fs = createMemoryFileSystem({
			cwd: `${HOME}/app`,
			home: HOME,
			files: { [`${HOME}/secret`]: "token", [`${HOME}/app/docs/agents.md`]: "inside" },
		});
		await fs.symlink("../secret", `${HOME}/app/AGENTS.md`, context);
		await fs.symlink("docs/agents.md", `${HOME}/app/CLAUDE.md`, context);
		const text = (await render(fs))["project-instructions"]!;
		assert.doesNotMatch(text, /token/);
		assert.match(text, /AGENTS\.md:\n\[it leads outside the project and is not read\]/);
		assert.match(text, /CLAUDE\.md:\ninside$/);
	});

	it("takes no folder, empty or binary file for instructions", async () => {
		const fs = createMemoryFileSystem({
			cwd: `${HOME}/app`,
			home: HOME,
			files: { [`${HOME}/AGENTS.md`]: " \n", [`${HOME}/app/CLAUDE.md`]: "a\0b" },
		});
		await fs.mkdir(`${HOME}/app/AGENTS.md`, context);
		const texts = await render(fs);
		assert.equal(texts["user-instructions"], undefined);
		assert.match(texts["project-instructions"]!, /CLAUDE\.md:\n\[it can't be read: it is not a text file\]$/);
	});

	it("opens a file again only when it changed", async () => {
		const memory = createMemoryFileSystem({
			cwd: `${HOME}/app`,
			home: HOME,
			files: { [`${HOME}/app/AGENTS.md`]: "one", [`${HOME}/app/.git/HEAD`]: "ref: refs/heads/main" },
		});
		const opened: string[] = [];
		const fs: FileSystem = {
			...memory,
			openBinaryReader(path, ...rest) {
				opened.push(path);
				return memory.openBinaryReader(path, ...rest);
			},
		};
		const extension = createProjectContext();
		await render(fs, extension);
		assert.equal(opened.length, 2);
		const again = await render(fs, extension);
		assert.equal(opened.length, 2);
		assert.match(again["project-instructions"]!, /one$/);
		await write(memory, `${HOME}/app/AGENTS.md`, "two");
		assert.match((await render(fs, extension))["project-instructions"]!, /two$/);
		assert.equal(opened.length, 3);
	});

	it("is shown to the model at the first turn, and afterwards only what changed", async () => {
		const fs = createMemoryFileSystem({
			cwd: `${HOME}/app`,
			home: HOME,
			files: { [`${HOME}/app/AGENTS.md`]: "one" },
		});
		const models = createModels();
		models.setProvider(createScriptedProvider());
		const registry = createRegistry();
		registry.install(createProjectContext());
		const env = () => createFilesOnlyEnv(fs);
		const harness = await Harness.open(new MemoryStorage(), { models, registry, env }, context);
		try {
			const root = await harness.root(context, { agent: { model: SCRIPTED } });
			const shown: (string[] | undefined)[] = [];
			for (const instructions of ["one", "one", "two"]) {
				await write(fs, `${HOME}/app/AGENTS.md`, instructions);
				const submission = await root.submit({ type: "input", content: "hello" }, context);
				await submission.wait(context);
				const { items } = await root.entries({}, 3, undefined, context);
				const message = items.find(SystemEntry.is)?.model?.[0] as SystemMessage | undefined;
				shown.push(message === undefined ? undefined : Object.keys(message.sections ?? {}));
			}
			assert.deepEqual(shown, [
				["about", "environment", "project-instructions", "date"],
				undefined,
				["project-instructions"],
			]);
		} finally {
			await harness.close(context);
		}
	});
});
