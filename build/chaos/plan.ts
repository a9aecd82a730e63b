import type { Random } from "../../agent/protocol/testing/random.ts";

/** How one life of the agent ends. */
export type Kill =
	| { readonly kind: "at"; readonly point: string; readonly pass: number }
	| { readonly kind: "after"; readonly ms: number }
	/** Stopped for a while, then killed while it is stopped. */
	| { readonly kind: "frozen"; readonly after: number; readonly ms: number }
	/** Another one takes its place by handover; either may be killed in the middle of it, at a named point. */
	| {
			readonly kind: "replaced";
			readonly after: number;
			readonly oldDies: string | undefined;
			readonly newDies: string | undefined;
	  };

export type Act =
	| {
			readonly kind: "send";
			readonly session: number;
			readonly client: number;
			readonly text: string;
			readonly whenBusy: "steer" | "followUp";
			/** The file whose lines count how often the message's command ran. */
			readonly marker?: string;
			/** The file that a stopped command must never write. */
			readonly late?: string;
			/** What a subagent is told to do, when it is one that runs the command. */
			readonly prompt?: string;
	  }
	| { readonly kind: "stop"; readonly session: number; readonly client: number }
	/** Off the newest entry there is then, in the middle of a run too; the fork is then sent a message. */
	| { readonly kind: "fork"; readonly session: number; readonly client: number; readonly text: string }
	| { readonly kind: "compact"; readonly session: number; readonly client: number }
	| { readonly kind: "cut"; readonly client: number };

export type Plan = {
	readonly kills: readonly Kill[];
	readonly acts: readonly { readonly act: Act; readonly pauseMs: number }[];
};

export const SESSIONS = 3;
export const CLIENTS = 2;
const ACTS = 12;

/** The named points of the harness's code, between two commits. */
const POINTS = [
	"commit:before",
	"commit:after",
	"generation:request",
	"generation:partial",
	"generation:answer",
	"tool:intent:before",
	"tool:intent:after",
	"tool:executed",
	"tool:result",
	"compaction:request",
	"compaction:summary",
	"task:reserved",
] as const;

/** The steps in which an agent ends. */
const STEPS = [
	"the intake",
	"what runs",
	"the sessions",
	"the harness",
	"the socket",
	"the rest",
	"the lock",
];

/** Everything a seed decides, before anything runs. */
export function makePlan(random: Random): Plan {
	const kills = Array.from({ length: 1 + random.below(2) }, () => makeKill(random));
	const acts = Array.from({ length: ACTS }, (_, number) => ({
		act: makeAct(random, number),
		pauseMs: random.below(40),
	}));
	return { kills, acts };
}

function makeKill(random: Random): Kill {
	const roll = random.below(10);
	if (roll < 5) {
		const point = random.pick(POINTS);
		return { kind: "at", point, pass: 1 + random.below(point.startsWith("commit") ? 40 : 4) };
	}
	if (roll < 7) return { kind: "after", ms: 20 + random.below(500) };
	if (roll < 9) return makeReplacement(random);
	return { kind: "frozen", after: 20 + random.below(300), ms: 50 + random.below(150) };
}

function makeReplacement(random: Random): Kill {
	return {
		kind: "replaced",
		after: 100 + random.below(500),
		oldDies: random.chance(25) ? `ending#${random.pick(STEPS)}:1` : undefined,
		newDies: random.chance(25) ? `${random.pick(["succession:agreed", "succession:owner"])}:1` : undefined,
	};
}

function makeAct(random: Random, number: number): Act {
	const session = random.below(SESSIONS);
	const client = random.below(CLIENTS);
	const roll = random.below(20);
	if (roll < 2) return { kind: "stop", session, client };
	if (roll < 4) return { kind: "cut", client };
	if (roll < 6) return { kind: "fork", session, client, text: `message to fork ${number}` };
	if (roll < 7) return { kind: "compact", session, client };
	const whenBusy = random.chance(25) ? "steer" : "followUp";
	return { kind: "send", session, client, whenBusy, ...makeMessage(random, number) };
}

type Message = Pick<Extract<Act, { kind: "send" }>, "text" | "marker" | "late" | "prompt">;

function makeMessage(random: Random, number: number): Message {
	// Of one length, so that no name is the beginning of another.
	const name = String(number).padStart(2, "0");
	const marker = `ran-${name}`;
	const late = `late-${name}`;
	const lasting = `bash: echo x >> ${marker}; sleep 0.${1 + random.below(4)}; echo late >> ${late}`;
	switch (random.below(8)) {
		case 0:
			return { text: `message ${number}` };
		case 1:
			return { text: `bash: echo x >> ${marker}`, marker };
		case 2:
			return { text: lasting, marker, late };
		case 3:
			return { text: `slow ${2 + random.below(3)}: message ${number}` };
		case 4:
			return { text: `flaky 1: message ${number}` };
		case 5:
			return { text: delegation(lasting, false), prompt: lasting, marker, late };
		case 6:
			// A stop of its session doesn't reach one in the background, which may go on and write.
			return { text: delegation(lasting, true), prompt: lasting, marker };
		default:
			return { text: `tools: ${JSON.stringify(twoCalls(marker, number))}`, marker };
	}
}

/** What has the scripted model let a subagent do something. */
function delegation(prompt: string, background: boolean): string {
	const call = { name: "subagent", arguments: { description: "chaos", prompt, background } };
	return `tools: ${JSON.stringify([call])}`;
}

function twoCalls(marker: string, number: number) {
	return [
		{ name: "bash", arguments: { command: `echo x >> ${marker}; echo ${number}` } },
		{ name: "ls", arguments: { path: "." } },
	];
}
