import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { ProjectsDoc, type ProjectsState } from "./documents.ts";
import {
	type AllowedPlaces,
	assertAllowable,
	assertAllowed,
	isAllowed,
	isFolderThere,
	resolveFolder,
	resolveNewFolder,
	resolvePlaces,
} from "./folders.ts";
import type { Parts } from "./parts.ts";
import type { Sessions } from "./service.ts";

type Project = Awaited<ReturnType<Sessions["projects"]>>[number];

/** Where sessions may run now: the home directory, the settings' roots, and those a person has allowed. */
export async function allowedPlaces(parts: Parts): Promise<AllowedPlaces> {
	const stored = (await storedRoots(parts)).map(({ directory }) => directory);
	return resolvePlaces(parts.home, [...parts.allowedRoots(), ...stored]);
}

/** Adds a root, unless sessions may run in it already. Throws `folder_missing` and, for "/" and home, `folder_not_allowed`. */
export async function allowFolder(parts: Parts, directory: string): ReturnType<Sessions["allow"]> {
	const folder = await resolveFolder(directory);
	const places = await allowedPlaces(parts);
	assertAllowable(folder, places.home);
	if (isAllowed(folder, places)) return { directory: folder, added: false };
	const added = await parts.harness.commit(async (tx) => {
		const { roots } = await tx.doc(ProjectsDoc);
		if (roots.some((root) => root.directory === folder)) return false;
		roots.push({ directory: folder, allowedAt: parts.clock.now() });
		return true;
	}, BACKGROUND_CONTEXT);
	return { directory: folder, added };
}

/**
 * Where a folder that isn't there would be, with the links of those above it resolved. Throws `folder_not_allowed` where
 * no session could work in it.
 */
export async function placeForFolder(parts: Parts, directory: string): Promise<string> {
	const folder = await resolveNewFolder(directory);
	assertAllowed(directory, folder, await allowedPlaces(parts));
	return folder;
}

/** The folders of sessions, and those a person has allowed; newest use first. */
export async function knownProjects(parts: Parts): Promise<readonly Project[]> {
	const projects = new Map<string, { lastUsedAt: number; sessions: number }>();
	const used = (directory: string, at: number, sessions: number) => {
		const known = projects.get(directory) ?? { lastUsedAt: 0, sessions: 0 };
		projects.set(directory, {
			lastUsedAt: Math.max(known.lastUsedAt, at),
			sessions: known.sessions + sessions,
		});
	};
	for (const { record, updatedAt } of parts.index.all())
		used(record.directory, updatedAt, record.archivedAt === undefined ? 1 : 0);
	for (const { directory, allowedAt } of await storedRoots(parts)) used(directory, allowedAt, 0);
	const listed = [...projects].map(async ([directory, use]) => ({
		directory,
		...use,
		missing: !(await isFolderThere(directory)),
	}));
	return (await Promise.all(listed)).sort((left, right) => right.lastUsedAt - left.lastUsedAt);
}

async function storedRoots({ harness }: Parts): Promise<ProjectsState["roots"]> {
	return (await harness.snapshot(ProjectsDoc, BACKGROUND_CONTEXT))?.roots ?? [];
}
