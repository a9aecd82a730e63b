import {
	type AssistantMessage,
	type AssistantMessageEventStream,
	createAssistantMessageEventStream,
	type StreamOptions,
} from "@earendil-works/pi-ai";

/** Shorter values would take ordinary words out of an error's text. */
const SHORTEST = 6;

/** The secrets that a request is sent with. */
export function secretsOf(options: StreamOptions | undefined): readonly string[] {
	const headers = Object.values(options?.headers ?? {}).flatMap((value) =>
		typeof value === "string" ? [value, value.replace(/^\w+ /, "")] : [],
	);
	const variables = Object.entries(options?.env ?? {}).flatMap(([name, value]) =>
		/KEY|TOKEN|SECRET/.test(name) ? [value] : [],
	);
	return [options?.apiKey ?? "", ...headers, ...variables].filter((secret) => secret.length >= SHORTEST);
}

/** The same stream with secrets taken out of its error: a provider may repeat the key that it refuses. */
export function withoutSecrets(
	source: AssistantMessageEventStream,
	secrets: readonly string[],
): AssistantMessageEventStream {
	if (secrets.length === 0) return source;
	const cleaned = createAssistantMessageEventStream();
	const forward = async () => {
		for await (const event of source)
			cleaned.push(event.type === "error" ? { ...event, error: clean(event.error, secrets) } : event);
		cleaned.end();
	};
	void forward();
	return cleaned;
}

function clean(message: AssistantMessage, secrets: readonly string[]): AssistantMessage {
	const hide = (text: string) => secrets.reduce((left, secret) => left.replaceAll(secret, "[key]"), text);
	return {
		...message,
		...(message.errorMessage === undefined ? {} : { errorMessage: hide(message.errorMessage) }),
		...(message.diagnostics === undefined
			? {}
			: { diagnostics: JSON.parse(hide(JSON.stringify(message.diagnostics))) }),
	};
}
