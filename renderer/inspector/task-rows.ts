import type { TaskNode } from "../../agent/protocol/index.ts";

/** A task as a row of the tree. */
export type TaskRow = { readonly task: TaskNode; readonly depth: number };

const MOST_ROWS = 40;

/** Tasks in the order they are drawn; a generation's calls stand under it. Of very many the newest are shown. */
export function taskRows(tasks: readonly TaskNode[]): {
	readonly rows: readonly TaskRow[];
	readonly hidden: number;
} {
	const rows: TaskRow[] = [];
	const visit = (task: TaskNode, depth: number) => {
		rows.push({ task, depth });
		for (const child of task.children) visit(child, depth + 1);
	};
	for (const task of tasks) visit(task, 0);
	const hidden = Math.max(0, rows.length - MOST_ROWS);
	return { rows: rows.slice(hidden), hidden };
}

/** Whether a task does something now, by itself or through what it waits for. */
export function isAtWork({ status, children }: TaskNode): boolean {
	if (status === "running" || status === "completing") return true;
	return status === "waiting" && children.some(isAtWork);
}

/** What a task is called: `Answer`, `bash`, `Subagent`. */
export function taskName({ kind, name, conversation }: TaskNode): string {
	switch (kind) {
		case "generation":
			return "Answer";
		case "compaction":
			return "Summary for the model";
		case "tool":
			return name === "subagent" ? "Subagent" : name;
		case "other":
			return conversation === undefined ? name : "Subagent";
	}
}
