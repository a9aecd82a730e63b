import { builtinModules } from "node:module";
import ts from "typescript";

/** @typedef {{ specifier: string, typeOnly: boolean, line: number }} Import */

/**
 * The modules that a source text imports: statically, dynamically, as a type, by `export … from`. Names of
 * Node's own modules come with `node:`. In a Svelte component only its scripts are read.
 *
 * @param {string} file its name tells the language
 * @param {string} text
 * @returns {Import[]}
 */
export function importsOf(file, text) {
	const script = file.endsWith(".svelte") ? scriptsOnly(text) : text;
	const name = file.endsWith(".svelte") ? `${file}.ts` : file;
	const source = ts.createSourceFile(name, script, ts.ScriptTarget.Latest, true);
	/** @type {Import[]} */
	const found = [];
	const add = (/** @type {ts.Node | undefined} */ specifier, /** @type {boolean} */ typeOnly) => {
		if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
		const { line } = source.getLineAndCharacterOfPosition(specifier.getStart());
		const named = builtinModules.includes(specifier.text) ? `node:${specifier.text}` : specifier.text;
		found.push({ specifier: named, typeOnly, line: line + 1 });
	};
	const visit = (/** @type {ts.Node} */ node) => {
		if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, node.importClause?.isTypeOnly === true);
		else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
		else if (ts.isImportTypeNode(node))
			add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
		else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
			add(node.arguments[0], false);
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

/** Blanks everything outside of the scripts, so that line numbers stay. @param {string} text */
function scriptsOnly(text) {
	let kept = "";
	let end = 0;
	for (const match of text.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/g)) {
		const begin = match.index + match[0].indexOf(">") + 1;
		const code = /** @type {string} */ (match[1]);
		kept += blank(text.slice(end, begin)) + code;
		end = begin + code.length;
	}
	return kept + blank(text.slice(end));
}

/** @param {string} text */
function blank(text) {
	return text.replace(/[^\n]/g, " ");
}
