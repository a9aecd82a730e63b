/** What runs anywhere. The files named `node-*` need Node and are imported by their own names. */
export {
	type Client,
	connectClient,
	type RequestOptions,
	type Watch,
	type WatchListener,
} from "./client.ts";
export * from "./codec.ts";
export type { Connection, ConnectionOptions } from "./connection.ts";
export * from "./cut.ts";
export * from "./errors.ts";
export type { Content, ContentPart } from "./fields.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export type { KeptWatch } from "./kept-watches.ts";
export * from "./limits.ts";
export type * from "./messages.ts";
export * from "./methods.ts";
export * from "./modes.ts";
export * from "./negotiate.ts";
export { readAgentMessage } from "./read-agent-message.ts";
export { type ReadClientMessage, readClientMessage } from "./read-client-message.ts";
export {
	type ConnectionState,
	createReconnectingClient,
	type NextAttempt,
	type ReconnectingClient,
	type ReconnectingOptions,
	type RetryPolicy,
} from "./reconnecting-client.ts";
export type * from "./results.ts";
export { type RetryCause, retryWords } from "./retry-cause.ts";
export { type After, systemAfter } from "./timer.ts";
export type { PausableTransport, Transport } from "./transport.ts";
export {
	type Call,
	type CheckedRequest,
	checkRequest,
	type Problem,
	type Validation,
	validateParams,
} from "./validate.ts";
export { isOlder } from "./versions.ts";
export type * from "./views.ts";
export { createFollower, type Followed, type WatchChange } from "./watch-follower.ts";
