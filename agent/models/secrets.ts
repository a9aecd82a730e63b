import {
	type AssistantMessage,
	type AssistantMessageEventStream,
	createAssistantMessageEventStream,
	type StreamOptions,
} from "@earendil-works/pi-ai";
import type { Environment } from "../platform/environment.ts";

/** Shorter values would take ordinary words out of an error's text. */
const SHORTEST = 6;

/** Names of variables that hold a secret, such as `AWS_ACCESS_KEY_ID`; `MAX_TOKENS` holds none. */
const NAMES = /(^|_)(API)?(KEY|TOKEN|SECRET|PASSWORD)(_|$)/i;

/** The secrets that a request is sent with. */
export function secretsOf(options: StreamOptions | undefined): readonly string[] {
	const headers = Object.values(options?.headers ?? {}).flatMap((value) =>
		typeof value === "string" ? [value, value.replace(/^\w+ /, "")] : [],
	);
	return longestFirst([options?.apiKey ?? "", ...headers, ...secretsIn(options?.env ?? {})]);
}

/** The secrets in an environment that is handed to a program. */
export function secretsIn(environment: Environment): readonly string[] {
	const named = Object.entries(environment).filter(([name]) => NAMES.test(name));
	return longestFirst(named.map(([, value]) => value.trim()));
}

/** The text with each of the secrets taken out, also as a URL or a JSON text has it. */
export function withoutSecretsIn(text: string, secrets: readonly string[]): string {
	return secrets.flatMap(formsOf).reduce((left, secret) => left.replaceAll(secret, "[key]"), text);
}

function formsOf(secret: string): readonly string[] {
	return [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)];
}

/** One may begin with another. */
function longestFirst(secrets: readonly string[]): readonly string[] {
	return secrets
		.filter((secret) => secret.length >= SHORTEST)
		.toSorted((one, other) => other.length - one.length);
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
	const hide = (text: string) => withoutSecretsIn(text, secrets);
	return {
		...message,
		...(message.errorMessage === undefined ? {} : { errorMessage: hide(message.errorMessage) }),
		...(message.diagnostics === undefined
			? {}
			: { diagnostics: JSON.parse(hide(JSON.stringify(message.diagnostics))) }),
	};
}
