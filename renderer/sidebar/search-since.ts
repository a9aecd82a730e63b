/** How far back is looked. */
export const SINCE = [
	{ name: "Any time", days: undefined },
	{ name: "Today", days: 0 },
	{ name: "Last 7 days", days: 7 },
	{ name: "Last 30 days", days: 30 },
] as const;

export type SinceName = (typeof SINCE)[number]["name"];

/**
 * The first moment that is looked at, in ms since the epoch: the beginning of a day by this computer's clock; undefined
 * for all time.
 */
export function sinceOf(name: SinceName, now: number): number | undefined {
	const days = SINCE.find((each) => each.name === name)?.days;
	if (days === undefined) return undefined;
	const day = new Date(now);
	day.setHours(0, 0, 0, 0);
	day.setDate(day.getDate() - days);
	return day.getTime();
}
