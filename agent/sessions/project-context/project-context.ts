import { arch, platform, release } from "node:os";
import type { Context } from "@earendil-works/chord";
import type { FileSystem } from "../../durable/env/file-system.ts";
import {
	type Clock,
	defineExtension,
	type Extension,
	type PromptInput,
	section,
	systemClock,
} from "../../durable/index.ts";
import { ABOUT } from "./about.ts";
import { createFileTexts } from "./file-text.ts";
import { FILE_BYTES, namesIn, renderFiles } from "./instructions.ts";
import { checkedOut, findRepository, foldersBetween } from "./repository.ts";

export type ProjectContextOptions = {
	readonly clock?: Clock;
	/** The system that commands run on, in a few words; default: this machine's. */
	readonly platform?: string;
};

/**
 * The extension `project-context`: what every session's model is told, as named sections, so that one that stays the
 * same never breaks a provider's prompt cache. They are rendered before each request; files are opened again only when
 * they changed. Without an environment those about files are left out.
 */
export function createProjectContext(options: ProjectContextOptions = {}): Extension {
	const { clock = systemClock, platform: system = thisPlatform() } = options;
	const read = createFileTexts(FILE_BYTES);

	async function environment(fs: FileSystem): Promise<string> {
		return `Platform: ${system}\nWorking folder: ${fs.cwd}`;
	}

	async function userInstructions(fs: FileSystem, context: Context): Promise<string | undefined> {
		const paths = [fs.resolve("~/AGENTS.md"), fs.resolve("~/.claude/CLAUDE.md")];
		const files = await renderFiles(fs, paths, undefined, read, context);
		return files && `The person's instructions for all their projects.\n\n${files}`;
	}

	async function projectInstructions(fs: FileSystem, context: Context): Promise<string | undefined> {
		const root = (await findRepository(fs, fs.cwd, context))?.root ?? fs.cwd;
		const paths = foldersBetween(root, fs.cwd).flatMap(namesIn);
		const files = await renderFiles(fs, paths, root, read, context);
		return (
			files &&
			`The project's instructions. Where two disagree, the later one counts; what the person says counts most.\n\n${files}`
		);
	}

	async function git(fs: FileSystem, context: Context): Promise<string | undefined> {
		const repository = await findRepository(fs, fs.cwd, context);
		if (repository === undefined) return undefined;
		const head = await checkedOut(fs, repository, read, context);
		return `The Git repository at ${repository.root}${head === undefined ? "" : ` has checked out ${head}`}.`;
	}

	return defineExtension({
		name: "project-context",
		sections: [
			section("about", () => ABOUT, { tag: false }),
			section("environment", withFiles(environment)),
			section("user-instructions", withFiles(userInstructions)),
			section("project-instructions", withFiles(projectInstructions)),
			section("git", withFiles(git)),
			section("date", () => `Today is ${dayOf(clock.now())}.`),
		],
	});
}

function withFiles(render: (fs: FileSystem, context: Context) => Promise<string | undefined>) {
	return async ({ env }: PromptInput, context: Context): Promise<string | undefined> =>
		env === undefined ? undefined : render(env, context);
}

/** The local date; without the time it stays the same for a day. */
function dayOf(now: number): string {
	const date = new Date(now);
	const two = (part: number) => String(part).padStart(2, "0");
	const weekday = date.toLocaleDateString("en", { weekday: "long" });
	return `${weekday}, ${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function thisPlatform(): string {
	const name = { darwin: "macOS, Darwin", linux: "Linux" }[platform() as string] ?? platform();
	return `${name} ${release()} (${arch()})`;
}
