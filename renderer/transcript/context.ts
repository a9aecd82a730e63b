import { createContext } from "svelte";
import type { OpenSession } from "../state/session.svelte.ts";

/** What rows need beside what they draw. */
export type TranscriptContext = {
	readonly session: OpenSession;
	/** The session's folder. */
	readonly folder: string;
	/** A path as it is shown in this session. */
	shortPath(path: string): string;
	/** Whether a row is unfolded; kept while the row is out of view. */
	isOpen(key: string): boolean;
	toggle(key: string): void;
	/** Whether a session can be forked off here: not off a subagent's work. */
	readonly canFork: boolean;
	/** Makes a session that begins with everything up to this entry, and shows it. */
	fork(at: string): void;
	/** Shows the whole output of a call. */
	showOutput(call: string, title: string): void;
};

export const [useTranscript, provideTranscript] = createContext<TranscriptContext>();
