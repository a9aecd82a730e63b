import type { ListedProcess } from "../processes/process-source.ts";

/** A process as a run's folder names it. */
export type NamedProcess = { readonly pid: number; readonly start: string };

/** What is known of a run's processes. */
export type Kinship = {
	readonly runner: NamedProcess | undefined;
	/** The command's shell: it leads the command's process group. */
	readonly leader: NamedProcess | undefined;
	/** A moment at which the runner was still there, as a `startedAt`. */
	readonly runnerSeen: number;
	/** Never a member, nor anything below it: the process that asks. */
	readonly self: number;
};

export type Members = {
	readonly certain: readonly ListedProcess[];
	/** They may be members: never to be signalled, and never to be taken for ended. */
	readonly doubtful: readonly ListedProcess[];
	/** The process groups in which everybody is a certain member. */
	readonly groups: ReadonlySet<number>;
};

export const NOBODY: Members = { certain: [], doubtful: [], groups: new Set() };

/**
 * The members of a call among all processes: what carries its mark, what is in the runner's session, and their
 * descendants. The runner and its relay, which share its process group, are none.
 */
export function membersAmong(listed: readonly ListedProcess[], kinship: Kinship): Members {
	const { runner, leader, self } = kinship;
	const home = listed.filter((one) => isAtHome(one, kinship));
	const homeIsOurs = home.some((one) => certifies(one, kinship));
	const first = listed.filter(
		(one) => one.marked || isSame(one, leader) || (homeIsOurs && home.includes(one)),
	);
	const isMember = (one: ListedProcess) =>
		one.pid !== self && (one.marked || runner === undefined || one.group !== runner.pid);

	const certain = withDescendants(listed, first, isMember);
	const doubtful = withDescendants(listed, homeIsOurs ? [] : home, isMember);
	const strangers = new Set(listed.filter((one) => !certain.includes(one)).map(({ group }) => group));
	return {
		certain,
		doubtful: doubtful.filter((one) => !certain.includes(one)),
		groups: new Set(certain.map(({ group }) => group).filter((group) => !strangers.has(group))),
	};
}

/** In the runner's session; where the system tells no sessions, in the group of the command's shell. */
function isAtHome(one: ListedProcess, { runner, leader }: Kinship): boolean {
	if (one.session !== undefined) return one.session === runner?.pid;
	return one.group === leader?.pid;
}

/**
 * The number of a session or group can come back, but not while one process of the old one lives. So it is ours when
 * one process in it certainly is, or when one in it is so old that the runner was still there when it started.
 */
function certifies(one: ListedProcess, { runner, leader, runnerSeen }: Kinship): boolean {
	if (one.marked || isSame(one, runner) || isSame(one, leader)) return true;
	return one.startedAt <= runnerSeen;
}

function isSame(one: ListedProcess, who: NamedProcess | undefined): boolean {
	return who !== undefined && one.pid === who.pid && one.start === who.start;
}

function withDescendants(
	listed: readonly ListedProcess[],
	first: readonly ListedProcess[],
	isMember: (one: ListedProcess) => boolean,
): ListedProcess[] {
	const children = Map.groupBy(listed, ({ parent }) => parent);
	const found = new Map<number, ListedProcess>();
	const queue = [...first];
	for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
		if (found.has(one.pid) || !isMember(one)) continue;
		found.set(one.pid, one);
		queue.push(...(children.get(one.pid) ?? []));
	}
	return [...found.values()];
}
