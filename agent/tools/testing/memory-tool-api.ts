import type { ExecutionEnv } from "../../durable/env/execution-env.ts";
import type { ConversationId, TaskId } from "../../durable/types/ids.ts";
import type { JsonObject, JsonValue } from "../../durable/types/json.ts";
import type { ToolExecutionApi } from "../../durable/types/tools.ts";

type AnyDocToken = { readonly definition: { readonly kind: string; initial(): JsonObject } };

/** One conversation's documents, kept over several calls as a store would keep them. */
export type MemoryDocuments = Map<string, JsonObject>;

/**
 * What a tool's `execute()` gets, with documents in memory and no harness: `commit` and `snapshot` of documents,
 * `output`, `show`, `details`, `diagnostic` and an agent without a model work; everything that needs tasks or conversations throws.
 */
export function createMemoryToolApi(options: {
	readonly env: ExecutionEnv | undefined;
	readonly documents?: MemoryDocuments;
}): ToolExecutionApi<never> & { readonly commits: () => number } {
	const documents = options.documents ?? new Map();
	let commits = 0;
	/** Commits run one at a time, as on a Session's line. */
	let line: Promise<unknown> = Promise.resolve();

	const transaction = {
		async doc(token: AnyDocToken): Promise<JsonObject> {
			const { kind, initial } = token.definition;
			if (!documents.has(kind)) documents.set(kind, initial());
			return documents.get(kind)!;
		},
	};
	const api = {
		taskId: 2 as TaskId,
		conversationId: 1 as ConversationId,
		callId: "call",
		env: options.env,
		intent: undefined,
		commits: () => commits,
		async snapshot(token: AnyDocToken): Promise<JsonObject | undefined> {
			const value = documents.get(token.definition.kind);
			return value === undefined ? undefined : structuredClone(value);
		},
		commit(change: (tx: typeof transaction) => unknown): Promise<unknown> {
			commits += 1;
			line = line.then(() => change(transaction));
			return line;
		},
		output() {},
		show() {},
		diagnostic() {},
		async details(_value: JsonValue) {},
		agent: async () => ({ thinkingLevel: "off", extensions: [], tools: [], sections: [] }),
	};
	return api as unknown as ToolExecutionApi<never> & { readonly commits: () => number };
}
