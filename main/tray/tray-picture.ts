import type { SessionGroups } from "../sessions/groups.ts";
import { count } from "../sessions/words.ts";

export type TrayState = "idle" | "running" | "needs-you";

/** What the icon itself says. */
export type TrayPicture = {
	readonly state: TrayState;
	/** Beside the icon, where the system has room for a text. */
	readonly title: string;
	readonly toolTip: string;
};

/**
 * What needs a person comes before what runs.
 *
 * @param groups undefined while there is no list yet
 * @param problem why there is no agent, if there is none
 */
export function trayPicture(groups: SessionGroups | undefined, problem: string | undefined): TrayPicture {
	if (problem !== undefined)
		return { state: "needs-you", title: "", toolTip: "Outlive: the agent doesn’t answer" };
	const needsYou = groups?.needsYou.length ?? 0;
	const running = groups?.running.length ?? 0;
	const parts = [
		...(needsYou > 0 ? [`${count(needsYou, "session")} need${needsYou === 1 ? "s" : ""} you`] : []),
		...(running > 0 ? [`${running} running`] : []),
	];
	return {
		state: needsYou > 0 ? "needs-you" : running > 0 ? "running" : "idle",
		title: running > 0 ? String(running) : "",
		toolTip: parts.length === 0 ? "Outlive" : `Outlive: ${parts.join(", ")}`,
	};
}
