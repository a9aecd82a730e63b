/** A batch that was refused before anything of it was stored; the Session rolls it back and goes on. */
export class StorageRejected extends Error {
	override readonly name: string = "StorageRejected";
}

/** There was no room for the batch; nothing of it was stored, and it may be tried again. */
export class StorageFull extends StorageRejected {
	override readonly name = "StorageFull";
}

/** The store was written by a newer version of the software; nothing was changed. */
export class StorageTooNew extends Error {
	override readonly name = "StorageTooNew";
}

/** Another process owns the store. */
export class StorageOwned extends Error {
	override readonly name = "StorageOwned";
	/** The owner, when it could be told for certain. */
	readonly pid: number | undefined;
	constructor(message: string, pid?: number) {
		super(message);
		this.pid = pid;
	}
}

/** The store failed in a way that leaves open what was stored; it must be closed and opened again. */
export class SessionPoisoned extends Error {
	override readonly name = "SessionPoisoned";
}

/** The Session is closing or closed. */
export class SessionClosed extends Error {
	override readonly name = "SessionClosed";
	constructor(message = "The session is closed; open the storage again.") {
		super(message);
	}
}

/** A table was read after the first table write of its commit. */
export class ReadAfterWrite extends Error {
	override readonly name = "ReadAfterWrite";
	constructor(what: string) {
		super(`${what} was read after the commit's first table write; read everything first.`);
	}
}

/** The host's `account` threw inside a commit, of which nothing was stored. */
export class AccountFailed extends Error {
	override readonly name = "AccountFailed";
	constructor(cause: unknown) {
		const reason = cause instanceof Error ? cause.message : String(cause);
		super(`what it spends couldn't be accounted for (${reason}), so its last step isn't stored`, { cause });
	}
}

/** `whenBusy: "reject"` met a busy conversation. */
export class ConversationBusy extends Error {
	override readonly name = "ConversationBusy";
	constructor(conversationId: number) {
		super(`Conversation ${conversationId} is busy; wait for it, or queue the message.`);
	}
}

/** The same request id came again with other content. */
export class RequestIdReused extends Error {
	override readonly name = "RequestIdReused";
	constructor(requestId: string) {
		super(`Request id "${requestId}" was already used for something else; use a new one.`);
	}
}

/** The store's file is damaged. Close it and restore it from a backup. */
export class StorageDamaged extends Error {
	override readonly name = "StorageDamaged";
}

/** Another program keeps the store locked; it is not an owner, which would be `StorageOwned`. */
export class StorageBusy extends Error {
	override readonly name = "StorageBusy";
}
