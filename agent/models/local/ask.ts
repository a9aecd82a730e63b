/** A server on this machine answers in a few ms; one that is loading a model may take longer. */
const LONGEST_MS = 1_500;
/** A list of thousands of models is shorter. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * What a model server answers, read as JSON. Undefined when nothing answers in time, or something else does: an error,
 * a redirection, a page.
 *
 * @param body sent as JSON, by POST; without one it is a GET
 */
export async function ask(url: string, signal: AbortSignal, body?: object): Promise<unknown> {
	try {
		const response = await fetch(url, {
			signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]),
			// It could lead to another machine.
			redirect: "error",
			...(body !== undefined && {
				method: "POST",
				headers: { "content-type": "application/json" },
				body: JSON.stringify(body),
			}),
		});
		if (response.ok) return JSON.parse(await textOf(response)) as unknown;
		await response.body?.cancel();
		return undefined;
	} catch {
		// Nobody there, too slow, or no JSON over HTTP: no model server.
		return undefined;
	}
}

async function textOf(response: Response): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of response.body ?? []) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > MOST_BYTES) throw new Error("That is no answer about models.");
	}
	return text + decoder.decode();
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}

/** The first of these that is a number of tokens. */
export function firstCount(...values: unknown[]): number | undefined {
	return values.find(
		(value): value is number => typeof value === "number" && Number.isInteger(value) && value > 0,
	);
}
