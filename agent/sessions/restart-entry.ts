import { defineEntry, type SubmissionId } from "../durable/index.ts";

/** A mark in a transcript, for people alone: the agent was restarted while this run went on. */
export const RestartEntry = defineEntry<{ text: string; run: SubmissionId }>("outlive.restart");
