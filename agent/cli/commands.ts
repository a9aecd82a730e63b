import { type Command, command } from "./command.ts";

const FLAG = "flag" as const;
const VALUE = "value" as const;
const MODEL = {
	kind: VALUE,
	value: "P/M",
	summary: "the model that answers, as outlive models names it",
} as const;
const REQUEST_ID = {
	kind: VALUE,
	value: "ID",
	summary: "an id of your own: however often the command runs with it, it is done once",
} as const;
const WAIT = { kind: FLAG, summary: "wait for the answer and print it" } as const;
const LATER = { comesWith: "a later version" } as const;
const FOLLOW = { kind: FLAG, summary: "print what happens until the answer is there" } as const;

/** Every command of `outlive`, in the order in which help lists them. */
export const COMMANDS: readonly Command[] = [
	command({
		name: "start",
		group: "the agent",
		positionals: [],
		options: {
			replace: { kind: FLAG, summary: "put an agent of this version in the place of the one that runs" },
		},
		summary: "start the agent if none runs",
		details: "An agent that is replaced hands over: no run ends, and commands that are running go on.",
		methods: ["agent.handover"],
		code: () => import("./commands/start.ts"),
	}),
	command({
		name: "status",
		group: "the agent",
		positionals: [],
		options: {},
		summary: "what the agent is doing; exit 3 when none runs",
		methods: ["agent.info"],
		code: () => import("./commands/status.ts"),
	}),
	command({
		name: "shutdown",
		group: "the agent",
		positionals: [],
		options: { now: { kind: FLAG, summary: "don't wait until no session is running" } },
		summary: "end the agent when it is idle",
		details: "Commands that are running go on; the next agent takes them up.",
		methods: ["agent.shutdown"],
		code: () => import("./commands/shutdown.ts"),
	}),
	command({
		name: "doctor",
		group: "the agent",
		positionals: [],
		options: {},
		summary: "what is installed, what is missing and what state everything is in",
		details: "It installs, starts and changes nothing.",
		methods: [],
		code: () => import("./commands/doctor.ts"),
	}),
	command({
		name: "service",
		group: "the agent",
		positionals: ["ACTION"],
		options: {},
		summary: "install, remove or look at (status) the agent as a service of the system",
		methods: [],
		code: () => import("./commands/service.ts"),
	}),

	command({
		name: "new",
		group: "sessions",
		positionals: ["[DIR]", "[PROMPT]"],
		options: {
			model: MODEL,
			title: { kind: VALUE, value: "T", summary: "its title; else it comes from the first message" },
			"request-id": REQUEST_ID,
			wait: WAIT,
			follow: FOLLOW,
		},
		exclusive: [["wait", "follow"]],
		summary: "a session in DIR (default: here), with its first message",
		details: "It prints the session's id. PROMPT - reads the message from standard input.",
		methods: ["sessions.create"],
		code: () => import("./commands/new.ts"),
	}),
	command({
		name: "ls",
		group: "sessions",
		positionals: [],
		options: { all: { kind: FLAG, summary: "archived ones too" } },
		summary: "the sessions, newest activity first",
		methods: ["sessions.list"],
		code: () => import("./commands/ls.ts"),
	}),
	command({
		name: "search",
		group: "sessions",
		positionals: ["QUERY"],
		options: {
			project: { kind: VALUE, value: "DIR", summary: "only in sessions of this folder" },
			since: { kind: VALUE, value: "D", summary: "from this day on, such as 2026-03-31" },
			all: { kind: FLAG, summary: "in archived ones too" },
		},
		summary: "what was said in all sessions, newest first",
		details:
			"It finds what holds every word of QUERY, each also as a part of a longer word. No character of QUERY has a " +
			"meaning of its own.",
		methods: ["search"],
		code: () => import("./commands/search.ts"),
	}),
	command({
		name: "usage",
		group: "sessions",
		positionals: [],
		options: {
			since: { kind: VALUE, value: "D", summary: "from this day on" },
			by: {
				kind: VALUE,
				value: "WHAT",
				choices: ["day", "model", "project"],
				summary: "what a line is about",
			},
		},
		summary: "tokens and cost",
		methods: ["usage"],
		code: () => import("./commands/usage.ts"),
	}),

	command({
		name: "send",
		group: "a session",
		positionals: ["SESSION", "TEXT"],
		options: {
			"when-busy": {
				kind: VALUE,
				value: "HOW",
				choices: ["follow-up", "steer", "reject"],
				summary: "a message that meets a run waits for its answer (follow-up), joins it, or is refused",
			},
			"request-id": REQUEST_ID,
			wait: WAIT,
			follow: FOLLOW,
		},
		exclusive: [["wait", "follow"]],
		summary: "a message to a session",
		details: "It prints the submission's id. TEXT - reads the message from standard input.",
		methods: ["session.send"],
		code: () => import("./commands/send.ts"),
	}),
	command({
		name: "attach",
		group: "a session",
		positionals: ["SESSION"],
		options: {},
		summary: "follow a session and reply in the terminal; Ctrl-C leaves it running",
		details:
			"/now TEXT goes into the run that is going on, /stop ends it, /quit leaves, /help lists these. In a pipe " +
			"each line of standard input is a message; at its end outlive waits for the answers and leaves.",
		methods: ["session.watch", "session.send", "session.stop", "session.entries", "session.seen"],
		code: () => import("./commands/attach.ts"),
	}),
	command({
		name: "follow",
		group: "a session",
		positionals: ["SESSION"],
		options: {},
		summary: "what happens in a session, as it happens; Ctrl-C leaves it running",
		details:
			"It begins with the newest message. With --json each event is one line. When the agent is killed it is " +
			"started again and the following goes on.",
		methods: ["session.watch", "session.entries", "session.seen"],
		code: () => import("./commands/follow.ts"),
	}),
	command({
		name: "show",
		group: "a session",
		positionals: ["SESSION"],
		options: { all: { kind: FLAG, summary: "from the very beginning, however long it is" } },
		summary: "the transcript as it is now",
		methods: ["session.watch", "session.entries", "session.seen"],
		code: () => import("./commands/show.ts"),
	}),
	command({
		name: "output",
		group: "a session",
		positionals: ["SESSION", "CALL"],
		options: {},
		summary: "the whole output of a tool call, byte for byte",
		methods: ["session.output"],
		code: () => import("./commands/output.ts"),
	}),
	command({
		name: "stop",
		group: "a session",
		positionals: ["SESSION"],
		options: {
			call: { kind: VALUE, value: "CALL", summary: "only what this finished call left running" },
		},
		summary: "end what a session is doing, and wait until it has ended",
		methods: ["session.stop"],
		code: () => import("./commands/stop.ts"),
	}),
	command({
		name: "try",
		group: "a session",
		positionals: ["SESSION"],
		options: {},
		summary: "end its wait for another attempt, a plan's limit or the network, and try now",
		methods: ["session.tryNow"],
		code: () => import("./commands/try.ts"),
	}),
	command({
		name: "rename",
		group: "a session",
		positionals: ["SESSION", "TITLE"],
		options: {},
		summary: "give a session a title",
		methods: ["session.configure"],
		code: () => import("./commands/rename.ts"),
	}),
	command({
		name: "archive",
		group: "a session",
		positionals: ["SESSION"],
		options: { undo: { kind: FLAG, summary: "bring it back" } },
		summary: "take a session out of the list; nothing is deleted",
		methods: ["session.configure"],
		code: () => import("./commands/archive.ts"),
	}),
	command({
		name: "set",
		group: "a session",
		positionals: ["SESSION"],
		options: {
			model: { ...MODEL, summary: `${MODEL.summary}, or default` },
			thinking: {
				kind: VALUE,
				value: "LEVEL",
				choices: ["off", "minimal", "low", "medium", "high", "xhigh", "max", "default"],
				summary: "how much it thinks before it answers",
			},
			tools: { kind: VALUE, value: "A,B", summary: "the tools it has, or default" },
			mode: {
				kind: VALUE,
				value: "MODE",
				choices: ["read_only", "ask_first", "run_freely"],
				summary: "what it may do without asking",
			},
		},
		summary: "what answers in a session, and what it may do",
		methods: ["session.configure"],
		code: () => import("./commands/set.ts"),
	}),
	command({
		name: "answer",
		group: "a session",
		positionals: ["SESSION", "[ANSWER]"],
		options: {},
		summary: "settle what a session asks; without ANSWER, show the question",
		methods: ["session.answer"],
		code: LATER,
	}),
	command({
		name: "fork",
		group: "a session",
		positionals: ["SESSION"],
		options: {
			at: { kind: VALUE, value: "ENTRY", summary: "up to this entry; default: all of it" },
			"request-id": REQUEST_ID,
		},
		summary: "a new session that begins with what this one has said",
		details: "It prints the new session's id. The session goes on undisturbed, also when it is at work.",
		methods: ["session.fork", "session.entries"],
		code: () => import("./commands/fork.ts"),
	}),
	command({
		name: "reset",
		group: "a session",
		positionals: ["SESSION", "[NOTE]"],
		options: { "request-id": REQUEST_ID },
		summary: "start a new context, with NOTE or with nothing; nothing is deleted",
		details:
			"The model no longer sees what was said before. A session at work comes to it after the current step, and " +
			"that run ends. NOTE - reads it from standard input.",
		methods: ["session.reset"],
		code: () => import("./commands/reset.ts"),
	}),
	command({
		name: "compact",
		group: "a session",
		positionals: ["SESSION", "[INSTRUCTIONS]"],
		options: { "request-id": REQUEST_ID },
		summary: "sum the older part of a conversation up for the model; nothing is deleted",
		details:
			"INSTRUCTIONS say what the summary shall dwell on; - reads them from standard input. The session goes on " +
			"meanwhile: a summary that is made during a run takes its place at the run's next step.",
		methods: ["session.compact"],
		code: () => import("./commands/compact.ts"),
	}),
	command({
		name: "changes",
		group: "a session",
		positionals: ["SESSION"],
		options: {},
		summary: "the files a session changed",
		methods: ["session.changes"],
		code: LATER,
	}),
	command({
		name: "rewind",
		group: "a session",
		positionals: ["SESSION"],
		options: {
			to: { kind: VALUE, value: "ENTRY", summary: "to how they were at this entry" },
			yes: { kind: FLAG, summary: "do it; without it, only say what would be done" },
		},
		summary: "bring back the files a session changed",
		methods: ["session.rewind"],
		code: LATER,
	}),

	command({
		name: "models",
		group: "what there is",
		positionals: [],
		options: {
			key: {
				kind: VALUE,
				value: "PROVIDER",
				summary: "keep an API key, read from standard input, for a provider",
			},
			file: {
				kind: FLAG,
				summary: "agree to a file that only you can read, where no keychain keeps the key",
			},
		},
		summary: "which models can answer now, and why the others can't",
		details:
			"With --key the key is read from standard input, so that it stands in no history and no list of processes: " +
			"outlive models --key anthropic < key.txt",
		methods: ["models.list", "models.setKey"],
		code: () => import("./commands/models.ts"),
	}),
	command({
		name: "projects",
		group: "what there is",
		positionals: [],
		options: {},
		summary: "the folders that sessions ran in",
		methods: ["projects.list"],
		code: () => import("./commands/projects.ts"),
	}),
	command({
		name: "allow",
		group: "what there is",
		positionals: ["DIR"],
		options: {},
		summary: "let sessions run in a folder outside the home directory",
		methods: ["projects.allow"],
		code: () => import("./commands/allow.ts"),
	}),

	command({
		name: "open",
		group: "other ways in",
		positionals: ["SESSION"],
		options: {},
		summary: "bring a session up in the app's window",
		methods: ["sessions.list"],
		code: () => import("./commands/open.ts"),
	}),
	command({
		name: "web",
		group: "other ways in",
		positionals: [],
		options: {
			port: { kind: VALUE, value: "N", summary: "the port; default: a free one" },
			open: { kind: FLAG, summary: "open it in the browser" },
		},
		summary: "the window in a browser, until Ctrl-C",
		methods: [],
		code: () => import("./commands/web.ts"),
	}),
	command({
		name: "connect",
		group: "other ways in",
		positionals: [],
		options: {},
		summary: "the agent's protocol over standard input and output, for SSH and editors",
		methods: [],
		code: () => import("./commands/connect.ts"),
	}),
];

export function findCommand(name: string): Command | undefined {
	return COMMANDS.find((each) => each.name === name);
}
