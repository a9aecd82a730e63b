import type { Page } from "playwright";
import type { WireEntry } from "../../agent/protocol/index.ts";
import { answered, asked, called, RUN, said } from "./entries.ts";
import { startWindow } from "./open-window.ts";
import { createSimulatedAgent } from "./simulated-agent.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const TOKENS_PER_SECOND = 300;
const STEP_MS = 50;
const TAIL = 200;

export type StreamingMeasure = {
	/** From one frame to the next, in ms. */
	readonly frames: readonly number[];
	/** Tasks of the page that took over 50 ms. */
	readonly longTasks: number;
	readonly elements: number;
};

/** Streams an answer of words, lists and code into a transcript of so many entries, and watches the page draw it. */
export async function measureStreaming(entries: number, seconds: number): Promise<StreamingMeasure> {
	const agent = createSimulatedAgent();
	const all = transcript(entries);
	const session = agent.add(
		viewOf(summary("s"), { entries: all.slice(-TAIL), hasOlder: all.length > TAIL }),
		all.slice(0, -TAIL),
	);
	const { page, close } = await startWindow({ agent, hash: "#/session/s" });
	try {
		await page.locator(".box textarea").waitFor();
		if (all.length > TAIL) await readBack(page);
		session.state.live = { run: RUN, tools: [], partial: { text: "" } };
		await beginToWatch(page);
		const tokens = answerTokens();
		const perStep = (TOKENS_PER_SECOND * STEP_MS) / 1000;
		for (const began = performance.now(); performance.now() - began < seconds * 1000; ) {
			for (let count = 0; count < perStep; count++) session.state.live.partial!.text += tokens.next().value;
			agent.publish();
			await new Promise((resolve) => setTimeout(resolve, STEP_MS));
		}
		return await page.evaluate(() => (window as unknown as Watched).watched());
	} finally {
		await close();
	}
}

type Watched = { watched(): StreamingMeasure };

/** Loads some older pages, as someone does who reads back, and goes to the end again. */
async function readBack(page: Page): Promise<void> {
	await page.locator(".transcript").evaluate(async (box) => {
		for (let step = 0; step < 60; step++) {
			box.dispatchEvent(new WheelEvent("wheel", { deltaY: -3000 }));
			box.scrollTop -= 3000;
			await new Promise(requestAnimationFrame);
		}
	});
	await page.getByRole("button", { name: "To the end" }).click();
	await page.getByRole("button", { name: "To the end" }).waitFor({ state: "detached" });
}

function beginToWatch(page: Page): Promise<void> {
	return page.evaluate(() => {
		const frames: number[] = [];
		let longTasks = 0;
		let last: number | undefined;
		let elements = 0;
		new PerformanceObserver((list) => {
			longTasks += list.getEntries().length;
		}).observe({ type: "longtask" });
		const frame = (time: number) => {
			if (last !== undefined) frames.push(time - last);
			last = time;
			if (frames.length % 30 === 0) elements = Math.max(elements, document.querySelectorAll("*").length);
			requestAnimationFrame(frame);
		};
		requestAnimationFrame(frame);
		Object.assign(window, { watched: () => ({ frames, longTasks, elements }) });
	});
}

/** Turns of a question, a look, a command and an answer. */
function transcript(entries: number): WireEntry[] {
	const made: WireEntry[] = [];
	while (made.length < entries) {
		const turn = made.length;
		made.push(
			asked(`Question ${turn}: what does the importer do with a line that is cut off?`),
			said("", { toolCalls: [called(`a${turn}`, "read", { path: `src/file-${turn}.ts` })] }),
			answered(`a${turn}`, "read", { text: "…", details: { lines: 84 } }),
			said("It reads on.\n\n- one\n- two\n\n```ts\nconst a = 1;\n```", {
				toolCalls: [called(`b${turn}`, "bash", { command: "npm test" })],
			}),
			answered(`b${turn}`, "bash", { text: "ok 1\nok 2\nok 3", details: { exitCode: 0 } }),
			said(`Done. ${"The rest of the line comes with the next read. ".repeat(6)}`),
		);
	}
	return made.slice(0, entries);
}

function* answerTokens(): Generator<string, never> {
	for (let part = 0; ; part++) {
		const words = `Paragraph ${part} says **something** about \`code\` and goes on for a while, so that lines are broken. `;
		for (const token of words.repeat(3).split(/(?<= )/)) yield token;
		yield "\n\n";
		for (let item = 0; item < 4; item++)
			for (const token of `- item ${item} of the list\n`.split(/(?<= )/)) yield token;
		yield "\n```ts\n";
		for (let line = 0; line < 20; line++)
			for (const token of `export const value${line} = compute("${line}"); // ${line}\n`.split(/(?<= )/))
				yield token;
		yield "```\n\n";
	}
}
