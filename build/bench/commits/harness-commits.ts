import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { createModels } from "@earendil-works/pi-ai";
import { AssistantEntry, createRegistry, Harness } from "../../../agent/durable/index.ts";
import { openNodeSqliteStorage } from "../../../agent/durable/storage/sqlite/node.ts";
import { messageOf, ProgressDoc, progressOf } from "./work.ts";

export type Commits = {
	commit(number: number): void | Promise<void>;
	close(): void | Promise<void>;
};

/** The work's commits as a program of the harness makes them. */
export async function openHarnessCommits(file: string): Promise<Commits> {
	const context = BACKGROUND_CONTEXT;
	const storage = await openNodeSqliteStorage(file, { exclusive: true });
	const harness = await Harness.open(
		storage,
		{ models: createModels(), registry: createRegistry() },
		context,
	);
	const { id } = await harness.createConversation({ ownership: { kind: "ownerless" } }, context);
	await harness.commit(async (tx) => void (await tx.doc(ProgressDoc, id)), context);
	return {
		commit: (number) =>
			harness.commit(async (tx) => {
				await tx.appendEntry(AssistantEntry, id, { model: [messageOf(number)] });
				Object.assign(await tx.doc(ProgressDoc, id), progressOf(number));
			}, context),
		close: () => harness.close(context),
	};
}
