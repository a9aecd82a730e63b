/**
 * Who may import whom: the project's layers as one table. The most specific place that a file lies under
 * decides. `may` lists what a file may import beside its own place; `types` lists what it may import with
 * `import type` only; `packages`, where it is there, are the only modules from outside that it may import.
 *
 * @typedef {{ place: string, may: string[], types?: string[], packages?: RegExp, because: string }} Layer
 * @type {readonly Layer[]}
 */
export const LAYERS = [
	{
		place: "agent/durable",
		may: [],
		because: "the harness is a library and knows nothing else of the product",
	},
	{
		place: "agent/durable/env/runner/test-support.ts",
		may: ["agent/durable", "build"],
		because: "what tests commands that live on has them end with a test that is killed",
	},
	{
		place: "agent/protocol",
		may: [],
		because: "the wire is shared by every process and knows nothing else of the product",
	},
	{
		place: "agent/platform",
		may: [],
		because: "what differs between systems knows nothing above it",
	},
	{
		place: "agent/images",
		may: [],
		because: "what an image is and how it is scaled knows nothing else of the product",
	},
	{
		place: "agent/models",
		may: ["agent/durable", "agent/platform"],
		types: ["agent/protocol"],
		because: "providers know neither sessions nor the wire",
	},
	{
		place: "agent/models/claude-code/testing",
		may: ["agent/durable", "agent/models", "agent/platform", "build"],
		because: "what tests Claude Code runs the one that set-up fetched",
	},
	{
		place: "agent/tools",
		may: ["agent/durable", "agent/images"],
		because: "tools are a library over the harness and know nothing of the product but what images are",
	},
	{
		place: "agent/tools/testing",
		may: ["agent/durable", "agent/images", "agent/platform", "agent/tools", "build"],
		because: "what tests commands that live on has them end with a test that is killed",
	},
	{
		place: "agent/sessions",
		may: ["agent/durable", "agent/images", "agent/models", "agent/tools", "agent/platform"],
		types: ["agent/protocol"],
		because: "what a session is does not depend on the wire",
	},
	{
		place: "agent/server",
		may: [
			"agent/durable",
			"agent/models",
			"agent/tools",
			"agent/sessions",
			"agent/platform",
			"agent/protocol",
		],
		because: "the server turns the wire into calls of sessions, models and tools",
	},
	{
		place: "agent/process",
		may: ["agent/durable", "agent/protocol", "agent/platform"],
		because: "the life of the agent's process knows neither sessions nor tools",
	},
	{
		place: "agent/testing",
		may: ["agent/protocol", "build"],
		because: "what runs agents for tests talks to them as every client does, and has them end with the test",
	},
	{
		place: "agent/cli",
		may: ["agent/protocol", "agent/platform"],
		because: "the command line is a client and does not reach past the protocol",
	},
	{
		place: "agent/cli/testing",
		may: ["agent/cli", "agent/protocol", "agent/platform", "build"],
		because: "what tests the command line has the agents that it starts end with a test that is killed",
	},
	{
		place: "agent",
		may: [
			"agent/durable",
			"agent/images",
			"agent/models",
			"agent/tools",
			"agent/sessions",
			"agent/server",
			"agent/process",
			"agent/platform",
			"agent/protocol",
		],
		because: "the agent's own entry wires its parts, and the command line is not one of them",
	},
	{
		place: "main",
		may: ["agent/protocol", "agent/platform"],
		// What the page may ask of its host is the page's to say.
		types: ["renderer/host.ts"],
		because: "Electron's main process is a supervisor and a client",
	},
	{
		place: "renderer",
		may: ["agent/protocol"],
		packages: /^(?!electron($|\/)|node:)/,
		because: "the window runs where there is no Electron and no Node",
	},
	{
		place: "renderer/testing",
		may: ["agent/protocol", "renderer", "build"],
		because: "what tests the window stands in for an agent and drives a browser",
	},
	{
		place: "build",
		may: ["agent", "main", "renderer", "vite.config.ts"],
		because: "what builds and checks the product may see all of it",
	},
	{
		place: "e2e",
		may: ["agent", "main", "renderer", "build"],
		because: "specs of the whole product may see all of it",
	},
];

/** Modules from outside that only some places may import. */
export const PACKAGE_RULES = [
	{
		package: /^electron($|\/)/,
		places: ["main", "e2e", "build"],
		because: "only Electron's main process runs in Electron",
	},
	{
		package: /^better-sqlite3($|\/)/,
		places: ["agent/durable", "build"],
		because: "only the harness opens a database, with one copy of the library",
	},
];

/** What a test may import beside what its place may: the programs and skips of the test ground. */
export const TESTS_MAY = [
	"build",
	"renderer/testing",
	"agent/testing",
	"agent/cli/testing",
	"agent/durable/env/runner/test-support.ts",
	"agent/models/claude-code/testing",
	"agent/tools/testing",
];
