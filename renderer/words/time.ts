const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long something has taken, in its largest unit: `48 s`, `14 min`, `3 h`, `2 days`. Never negative. */
export function shortDuration(ms: number): string {
	const time = Math.max(0, ms);
	if (time < MINUTE) return `${Math.floor(time / SECOND)} s`;
	if (time < HOUR) return `${Math.floor(time / MINUTE)} min`;
	if (time < DAY) return `${Math.floor(time / HOUR)} h`;
	const days = Math.floor(time / DAY);
	return days === 1 ? "1 day" : `${days} days`;
}

/** How long something took, in two units: `1.4 s`, `48 s`, `2 min 8 s`, `1 h 5 min`. */
export function exactDuration(ms: number): string {
	const time = Math.max(0, ms);
	if (time < 10 * SECOND) return `${(Math.floor(time / 100) / 10).toFixed(1)} s`;
	if (time < MINUTE) return `${Math.floor(time / SECOND)} s`;
	if (time < HOUR) return pair(Math.floor(time / MINUTE), "min", Math.floor((time % MINUTE) / SECOND), "s");
	if (time < DAY) return pair(Math.floor(time / HOUR), "h", Math.floor((time % HOUR) / MINUTE), "min");
	return pair(Math.floor(time / DAY), "d", Math.floor((time % DAY) / HOUR), "h");
}

function pair(first: number, unit: string, second: number, smaller: string): string {
	return second === 0 ? `${first} ${unit}` : `${first} ${unit} ${second} ${smaller}`;
}

/** Seconds until a moment, rounded up, so that a countdown ends at its 0: `4 s`, `2 min`, `3 h`. */
export function untilWords(at: number, now: number): string {
	const left = Math.max(0, Math.ceil((at - now) / SECOND)) * SECOND;
	return shortDuration(left);
}

/** The time of day: `14:02`. */
export function clockTime(at: number): string {
	const date = new Date(at);
	return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}

/** When something happened, as a list shows it: `09:12` today, `Yesterday`, `Tuesday`, `12 Mar`, `12 Mar 2024`. */
export function whenWords(at: number, now: number): string {
	const days = calendarDays(at, now);
	if (days <= 0) return clockTime(at);
	if (days === 1) return "Yesterday";
	const date = new Date(at);
	if (days < 7) return date.toLocaleDateString("en-GB", { weekday: "long" });
	const year = date.getFullYear() === new Date(now).getFullYear() ? {} : { year: "numeric" as const };
	return date.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...year });
}

/** A moment in the future: `18:00`, or `tomorrow 18:00`, or `12 Mar 18:00`. */
export function untilMoment(at: number, now: number): string {
	const days = calendarDays(now, at);
	if (days <= 0) return clockTime(at);
	if (days === 1) return `tomorrow ${clockTime(at)}`;
	return `${new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${clockTime(at)}`;
}

/** How many midnights lie between two moments, by the local calendar. */
function calendarDays(from: number, to: number): number {
	const midnight = (at: number) => new Date(at).setHours(0, 0, 0, 0);
	return Math.round((midnight(to) - midnight(from)) / DAY);
}
