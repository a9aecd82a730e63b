import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createModels, type Message, type Models } from "@earendil-works/pi-ai";
import { CLAUDE_CODE } from "../../../agent/models/claude-code/models.ts";
import { createClaudeCodeProvider } from "../../../agent/models/claude-code/provider.ts";
import {
	type MessagesApi,
	startMessagesApi,
} from "../../../agent/models/claude-code/testing/messages-api.ts";
import { missingClaude, testClaude } from "../../setup/claude-code.mjs";
import { cpuMs, settledMb } from "../process-use.ts";
import type { Figure, Row } from "../row.ts";
import { interleaved, median } from "../statistics.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const MODEL = "claude-sonnet-5-5";

/** Claude Code, the real one, in front of a Messages API on this machine that answers at once. */
export const claudeCode: Row = {
	name: "claude code",
	async measure({ quick }) {
		const missing = missingClaude(ROOT);
		if (missing !== false) throw new Error(missing);
		const base = mkdtempSync(join(tmpdir(), "outlive-bench-claude-"));
		const [home, folder, bin, records] = ["home", "project", "bin", "records"].map((name) =>
			join(base, name),
		);
		for (const each of [home!, folder!, bin!]) mkdirSync(each);
		symlinkSync(testClaude(ROOT)!, join(bin!, "claude"));
		const api = await startMessagesApi();
		const environment = {
			...{ HOME: home!, TMPDIR: base, PATH: `${bin}:/usr/bin:/bin` },
			...{ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "dummy-key" },
		};
		const provider = createClaudeCodeProvider({
			environment: async () => environment,
			warmLimit: () => 4,
			records: records!,
		});
		const models = createModels();
		models.setProvider(provider);
		try {
			const warm = conversation(models, folder!);
			// The first one of all writes its settings, and is read from the disk.
			await warm();
			const cpu: number[] = [];
			const measures = [
				() => direct(api),
				warm,
				async () => {
					const before = pidsIn(records!);
					const took = await conversation(models, folder!)();
					for (const pid of pidsIn(records!)) if (!before.includes(pid)) cpu.push(cpuMs(pid));
					return took;
				},
			];
			const times = (await interleaved(quick ? 2 : 10, measures)).map(median);
			const [directMs, warmMs, newMs] = times as [number, number, number];
			const [pid] = pidsIn(records!);
			return figures({ directMs, warmMs, newMs, newCpuMs: median(cpu), mb: await settledMb(pid!) });
		} finally {
			provider.close();
			await api.close();
			rmSync(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
		}
	},
};

type Measured = { directMs: number; warmMs: number; newMs: number; newCpuMs: number; mb: number };

/** The processes that run now, as the provider records them. */
const pidsIn = (records: string) => readdirSync(records).map((name) => Number(name.replace(".json", "")));

function figures({ directMs, warmMs, newMs, newCpuMs, mb }: Measured): Figure[] {
	const from = { "API alone ms": directMs };
	return [
		{
			name: "claude code, warm",
			value: warmMs - directMs,
			unit: "ms",
			goal: 25,
			from: { ...from, "through a warm process ms": warmMs },
		},
		{
			name: "claude code, new",
			value: newMs - directMs,
			unit: "ms",
			goal: 500,
			from: { ...from, "through a new process ms": newMs, "its CPU time ms": newCpuMs },
		},
		{ name: "claude code, memory", value: mb, unit: "MB", goal: 250, from: { "one idle process MB": mb } },
	];
}

/** A conversation that goes on each time it is called; the first call starts its process. Resolves with the time to the first token, in ms. */
function conversation(models: Models, cwd: string): () => Promise<number> {
	const messages: Message[] = [];
	const sessionId = crypto.randomUUID();
	return async () => {
		messages.push({ role: "user", content: `question ${messages.length}`, timestamp: 1 });
		const begun = performance.now();
		let first: number | undefined;
		const stream = models.streamSimple(
			models.getModel(CLAUDE_CODE, MODEL)!,
			{ systemPrompt: "You are measured.", messages: [...messages] },
			{ sessionId, metadata: { cwd } },
		);
		for await (const { type } of stream) if (type === "text_delta") first ??= performance.now() - begun;
		const answer = await stream.result();
		if (first === undefined) throw new Error(`Claude Code did not answer: ${answer.errorMessage}`);
		messages.push(answer);
		return first;
	};
}

/** The same request without anything in between. */
async function direct(api: MessagesApi): Promise<number> {
	const begun = performance.now();
	const response = await fetch(`${api.url}/v1/messages`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ model: MODEL, stream: true, messages: [{ role: "user", content: "question" }] }),
	});
	let first: number | undefined;
	let text = "";
	const decoder = new TextDecoder();
	for await (const bytes of response.body!) {
		text += decoder.decode(bytes, { stream: true });
		if (text.includes("text_delta")) first ??= performance.now() - begun;
	}
	if (first === undefined) throw new Error("The Messages API did not answer.");
	return first;
}
