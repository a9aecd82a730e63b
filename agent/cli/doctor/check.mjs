/**
 * One thing that the doctor looked at. `info` is worth knowing and neither good nor bad; `warn` works but not
 * fully; `fail` stops sessions from working. `fix` says what to do.
 *
 * @typedef {{ name: string, status: "ok" | "info" | "warn" | "fail", detail: string, fix?: string }} Check
 */

/**
 * A check whose subject may be in any state: what can't be looked at is a finding, not the end of the doctor.
 *
 * @param {string} name
 * @param {() => Check} look
 * @returns {Check}
 */
export function checked(name, look) {
	try {
		return look();
	} catch (error) {
		const { message } = /** @type {Error} */ (error);
		return { name, status: "fail", detail: `It can't be looked at (${message}).` };
	}
}

/** @param {number} bytes */
export function size(bytes) {
	const units = ["bytes", "KB", "MB", "GB", "TB"];
	let amount = bytes;
	let unit = 0;
	while (amount >= 1024 && unit < units.length - 1) {
		amount /= 1024;
		unit += 1;
	}
	return `${unit === 0 || amount >= 10 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`;
}

/** @param {number} ms since the epoch @returns {string} local time, to the second */
export function time(ms) {
	const at = new Date(ms);
	const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
	const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
	return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** For a shell. @param {string} path */
export function quoted(path) {
	return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
