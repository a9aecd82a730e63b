import { posix } from "node:path";
import { importsOf } from "./imports.mjs";
import { LAYERS, PACKAGE_RULES, TESTS_MAY } from "./layers-table.mjs";

/** @typedef {import("./layers-table.mjs").Layer} Layer */

/**
 * Which imports of a file break the table of layers.
 *
 * @param {string} file relative to the project's folder, with forward slashes
 * @param {string} text
 * @returns {string[]} a sentence for each, with file, line and rule
 */
export function layerProblems(file, text) {
	const layer = layerOf(file);
	if (layer === undefined) return [];
	return importsOf(file, text).flatMap((each) => {
		const inside = each.specifier.startsWith(".");
		const broken = inside
			? brokenRule(layer, file, posix.join(posix.dirname(file), each.specifier), each.typeOnly)
			: brokenPackageRule(layer, file, each.specifier);
		if (broken === undefined) return [];
		return [`${file}:${each.line} imports ${each.specifier}, but ${broken}.`];
	});
}

/**
 * @param {Layer} layer
 * @param {string} file
 * @param {string} target
 * @param {boolean} typeOnly
 * @returns {string | undefined}
 */
function brokenRule(layer, file, target, typeOnly) {
	if (layerOf(target) === layer) return undefined;
	const may = [...layer.may, ...(isTest(file) ? TESTS_MAY : []), ...(typeOnly ? (layer.types ?? []) : [])];
	if (may.some((place) => liesUnder(target, place))) return undefined;
	const allowed = may.length === 0 ? "nothing else of the product" : may.join(", ");
	const types = !typeOnly && layer.types !== undefined ? `, and types of ${layer.types.join(", ")}` : "";
	return `${layer.because}: ${layer.place} may import ${allowed}${types}`;
}

/**
 * Tests may use any package: what they prove about the product can need it.
 *
 * @param {Layer} layer
 * @param {string} file
 * @param {string} specifier
 * @returns {string | undefined}
 */
function brokenPackageRule(layer, file, specifier) {
	if (isTest(file)) return undefined;
	if (layer.packages !== undefined && !layer.packages.test(specifier)) return layer.because;
	const rule = PACKAGE_RULES.find(
		(each) => each.package.test(specifier) && !each.places.includes(layer.place),
	);
	return rule?.because;
}

/** @param {string} file */
function layerOf(file) {
	const fitting = LAYERS.filter(({ place }) => liesUnder(file, place));
	return fitting.sort((one, other) => other.place.length - one.place.length)[0];
}

/** @param {string} file @param {string} place */
function liesUnder(file, place) {
	return file === place || file.startsWith(`${place}/`);
}

/** @param {string} file */
function isTest(file) {
	return /\.test\.\w+$/.test(file);
}
