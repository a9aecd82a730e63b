import {
	type AssistantMessage,
	type AssistantMessageEventStream,
	createAssistantMessageEventStream,
	isRetryableAssistantError,
	type Provider,
	type StreamOptions,
} from "@earendil-works/pi-ai";

/**
 * A provider whose failures tell how long its server asked to wait, in the words of pi-ai (`provider-retry`). pi-ai
 * reads the header only where it may send a request again by itself, and here the harness alone decides that.
 */
export function tellingRetryAfter<P extends Provider>(provider: P): P {
	return {
		...provider,
		stream: (model, context, options) =>
			told(options, (observed) => provider.stream(model, context, observed)),
		streamSimple: (model, context, options) =>
			told(options, (observed) => provider.streamSimple(model, context, observed)),
	};
}

function told<O extends StreamOptions>(
	options: O | undefined,
	start: (observed: O) => AssistantMessageEventStream,
): AssistantMessageEventStream {
	let seconds: number | undefined;
	const fetch: typeof globalThis.fetch = async (...request) => {
		const response = await (options?.fetch ?? globalThis.fetch)(...request);
		seconds = response.ok ? undefined : requestedSeconds(response.headers);
		return response;
	};
	const source = start({ ...options, fetch } as O);
	const events = createAssistantMessageEventStream();
	const forward = async () => {
		for await (const event of source)
			events.push(event.type === "error" ? { ...event, error: withDelay(event.error, seconds) } : event);
		events.end();
	};
	void forward();
	return events;
}

function withDelay(message: AssistantMessage, seconds: number | undefined): AssistantMessage {
	// What no wait can help, such as a quota that is used up for good, is not waited for.
	if (seconds === undefined || !isRetryableAssistantError(message)) return message;
	return {
		...message,
		errorMessage: `Server requested ${seconds}s retry delay (max: 60s). ${message.errorMessage}`,
	};
}

/** How long a response asks to wait, in whole seconds; undefined when it doesn't, or in no way that is known. */
function requestedSeconds(headers: Headers): number | undefined {
	const inMs = Number.parseFloat(headers.get("retry-after-ms") ?? "");
	const after = headers.get("retry-after") ?? "";
	const inSeconds = /^\s*[\d.]+\s*$/.test(after)
		? Number.parseFloat(after)
		: (Date.parse(after) - Date.now()) / 1_000;
	const seconds = Number.isFinite(inMs) ? inMs / 1_000 : inSeconds;
	return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined;
}
