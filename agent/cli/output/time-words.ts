const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in ms, in its largest unit: `4 s`, `12 min`, `3 h`, `2 days`. */
export function duration(ms: number): string {
	if (ms < MINUTE) return `${Math.max(0, Math.round(ms / SECOND))} s`;
	if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
	if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
	return `${Math.floor(ms / DAY)} days`;
}

/** How long ago a time was. */
export function ago(at: number, now: number): string {
	return now - at < 5 * SECOND ? "now" : `${duration(now - at)} ago`;
}

/** The time of day, with the day when that is another one. */
export function clockTime(at: number, now: number): string {
	const date = new Date(at);
	const two = (value: number) => String(value).padStart(2, "0");
	const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
	if (date.toDateString() === new Date(now).toDateString()) return time;
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}
