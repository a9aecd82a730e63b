import { type ConversationId, configure, type ModelRef, type Tx, type UserInput } from "../durable/index.ts";
import { SessionDoc } from "./documents.ts";
import { assertAllowed, resolveFolder } from "./folders.ts";
import { fitMessage } from "./message-images.ts";
import { assertModel, type Parts, submissionOf } from "./parts.ts";
import { defaultModelIn, rememberModel } from "./project-models.ts";
import { allowedPlaces } from "./projects.ts";
import { commitOnce, onceRequest, resultOf } from "./requests.ts";
import type { SessionRecord, Sessions } from "./service.ts";
import { titleFromFolder, titleFromMessage, writtenTitle } from "./titles.ts";

/** One commit makes the conversation, its record, its agent's choices, its first message, and the request's answer. */
export async function createSession(
	parts: Parts,
	{ directory, title, model, content, requestId }: Parameters<Sessions["create"]>[0],
): ReturnType<Sessions["create"]> {
	const { harness } = parts;
	const request = onceRequest(requestId, "sessions.create", { directory, title, model, content });
	// A request that came before is answered whatever has become of the folder and the model since.
	let result = await resultOf(harness, request);
	if (result === undefined) {
		const folder = await resolveFolder(directory);
		assertAllowed(directory, folder, await allowedPlaces(parts));
		if (model !== undefined) await assertModel(parts, model);
		harness.resume();
		const choice = await modelOf(parts, folder, model);
		const fitting = content === undefined ? undefined : await fitMessage(parts, content, choice);
		const session = { directory: folder, title, content: fitting, ...choice };
		result = await commitOnce(harness, request, (tx) => createIn(tx, parts, session));
	}
	const { session: id, submission } = result;
	return { id, submission: submission === null ? null : await submissionOf(parts, id, submission) };
}

async function modelOf(parts: Parts, directory: string, chosen: ModelRef | undefined) {
	return { model: chosen ?? (await defaultModelIn(parts, directory)), isChosen: chosen !== undefined };
}

async function createIn(
	tx: Tx,
	{ harness, clock }: Parts,
	session: {
		readonly directory: string;
		readonly model: ModelRef;
		readonly isChosen: boolean;
		readonly title: string | undefined;
		readonly content: UserInput | undefined;
	},
) {
	const { directory, model, content } = session;
	const { id } = await tx.createConversation({ ownership: { kind: "ownerless" } });
	await configure(tx, id, { model, cwd: directory });
	if (session.isChosen) await rememberModel(tx, directory, model);
	await writeRecord(tx, id, { directory, ...titleOf(session), createdAt: clock.now() });
	const submission =
		content === undefined ? undefined : await harness.admit(tx, id, { type: "input", content });
	return { session: id, submission: submission?.id ?? null };
}

async function writeRecord(tx: Tx, id: ConversationId, record: SessionRecord): Promise<void> {
	Object.assign(await tx.doc(SessionDoc, id), record);
}

function titleOf(session: {
	readonly directory: string;
	readonly title: string | undefined;
	readonly content: UserInput | undefined;
}): Pick<SessionRecord, "title" | "titleFrom"> {
	const given = session.title === undefined ? undefined : writtenTitle(session.title);
	if (given !== undefined) return { title: given, titleFrom: "person" };
	const said = session.content === undefined ? undefined : titleFromMessage(session.content);
	if (said !== undefined) return { title: said, titleFrom: "message" };
	return { title: titleFromFolder(session.directory), titleFrom: "folder" };
}
