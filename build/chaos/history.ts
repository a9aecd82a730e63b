/** What a client was told of one message. */
export type Sent = {
	readonly session: number;
	readonly client: number;
	readonly text: string;
	readonly whenBusy: "steer" | "followUp";
	readonly marker: string | undefined;
	readonly late: string | undefined;
	readonly prompt: string | undefined;
	/** Its submission, once the agent has said so. */
	submission: string | undefined;
};

/** A fork that a client was told of. */
export type Fork = {
	/** Of which session, by its number, and up to which entry. */
	readonly of: number;
	readonly at: string;
	readonly session: string;
	readonly text: string;
	/** The message to it, once the agent has said so. */
	submission: string | undefined;
};

/** What clients were told in a round. */
export type History = {
	readonly sent: Sent[];
	readonly forks: Fork[];
	/** What was wrong already while it went on. */
	readonly problems: string[];
	/** Sessions that someone asked to stop, whether or not an answer came: their waiting messages may be taken back. */
	readonly stopAsked: Set<number>;
	/** Sessions that were told to stop, and what had to stay unwritten from then on. */
	readonly stopped: { readonly session: number; readonly neverWritten: readonly string[] }[];
};
