/** @typedef {import("./installed-packages.mjs").InstalledPackage} InstalledPackage */
/** @typedef {{ dependencies?: Record<string, string>, devDependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} PackageJson */

const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;
const EARENDIL = "@earendil-works/";
const LEADER = "@earendil-works/pi-ai";

/** Two copies of it in one process would drop each other's locks on the store. */
const ONE_COPY = "better-sqlite3";

/**
 * What is wrong with the pins and with what is installed:
 * - every version in package.json is exact;
 * - every copy of an `@earendil-works` package has its own pin, or pi-ai's where it has none;
 * - `pi-*` packages are pinned at pi-ai's version;
 * - better-sqlite3 is there once.
 *
 * @param {PackageJson} declared package.json
 * @param {InstalledPackage[]} installed the whole tree
 * @returns {string[]} a sentence for each problem
 */
export function lockstepProblems(declared, installed) {
	const pins = allPins(declared);
	return [...inexactPins(pins), ...missing(pins, installed), ...apart(pins, installed), ...copies(installed)];
}

/**
 * Which dependencies the README's table doesn't name with their pin; each stands there with its reason.
 *
 * @param {PackageJson} declared package.json
 * @param {string} readme
 * @returns {string[]} a sentence for each
 */
export function readmeProblems(declared, readme) {
	const rows = readme.split("\n").filter((line) => line.startsWith("|"));
	return Object.entries(allPins(declared))
		.filter(([name, version]) => !rows.some((row) => row.includes(`\`${name}\``) && row.includes(version)))
		.map(
			([name, version]) =>
				`${name} ${version} is missing in README.md under Dependencies; say what it is for.`,
		);
}

/** @param {PackageJson} declared @returns {Record<string, string>} */
function allPins({ dependencies, devDependencies, optionalDependencies }) {
	return { ...dependencies, ...devDependencies, ...optionalDependencies };
}

/** @param {Record<string, string>} pins */
function inexactPins(pins) {
	return Object.entries(pins)
		.filter(([, version]) => !EXACT.test(version))
		.map(([name, version]) => `${name} is declared as "${version}"; pin one exact version in package.json.`);
}

/** @param {Record<string, string>} pins @param {InstalledPackage[]} installed */
function missing(pins, installed) {
	return Object.entries(pins)
		.filter(([name]) => !installed.some((found) => found.path === `node_modules/${name}`))
		.map(([name, version]) => `${name} ${version} is not installed; run: node build/setup.mjs`);
}

/** @param {Record<string, string>} pins @param {InstalledPackage[]} installed */
function apart(pins, installed) {
	const leader = pins[LEADER];
	const wanted = (/** @type {string} */ name) =>
		(name.startsWith(`${EARENDIL}pi-`) ? leader : pins[name]) ?? leader;
	const declared = Object.entries(pins)
		.filter(([name, version]) => name.startsWith(EARENDIL) && version !== wanted(name))
		.map(
			([name, version]) => `${name} is pinned at ${version} but moves with pi-ai; pin it at ${wanted(name)}.`,
		);
	const present = installed
		.filter(({ name, version }) => name.startsWith(EARENDIL) && version !== wanted(name))
		.map(({ path, version, name }) => `${path} is version ${version}; it must be ${wanted(name)}.`);
	return [...declared, ...present];
}

/** @param {InstalledPackage[]} installed */
function copies(installed) {
	const found = installed.filter(({ name }) => name === ONE_COPY);
	if (found.length < 2) return [];
	const list = found.map(({ path, version }) => `${path} (${version})`).join(", ");
	return [`${ONE_COPY} is installed ${found.length} times and must be once: ${list}.`];
}
