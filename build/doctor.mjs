import { existsSync } from "node:fs";
import { join } from "node:path";
import { pinnedNodeVersion } from "./pinned-node.mjs";
import { isInstalled, wantedNode } from "./setup/install.mjs";
import { missingTool, TOOLS } from "./setup/tools.mjs";

/** @typedef {import("../agent/cli/doctor/check.mjs").Check} Check */

const INSTALLS = "npm start and npm test install it; so does npm run setup.";

/**
 * The doctor's checks of a checkout: the Node that runs this, the Node and the packages that the project pins,
 * and the programs that tests use. Installs nothing and runs on Node 20 without node_modules.
 *
 * @param {string} root the project's folder
 * @returns {Check[]}
 */
export function toolchainChecks(root) {
	return [checkNode(), checkPinnedNode(root), checkInstall(root), checkTestTools()];
}

/** @returns {Check} */
function checkNode() {
	const { node } = process.versions;
	if (Number.parseInt(node, 10) >= 20) return { name: "node", status: "ok", detail: `${node} runs this.` };
	const detail = `${node} runs this, and set-up needs 20 or newer.`;
	return { name: "node", status: "fail", detail, fix: "Install Node 20 or newer." };
}

/** @param {string} root @returns {Check} */
function checkPinnedNode(root) {
	const name = "node-pinned";
	const wanted = wantedNode(root);
	const found = pinnedNodeVersion(root);
	if (found === wanted) return { name, status: "ok", detail: `${wanted} is in node_modules and runs.` };
	const state = found === undefined ? "is not installed" : `is not what is installed (${found})`;
	return {
		name,
		status: "warn",
		detail: `Node ${wanted}, which the agent runs on, ${state}.`,
		fix: INSTALLS,
	};
}

/** @param {string} root @returns {Check} */
function checkInstall(root) {
	const name = "packages";
	if (!existsSync(join(root, "node_modules"))) {
		return { name, status: "warn", detail: "Nothing is installed yet.", fix: INSTALLS };
	}
	if (isInstalled(root)) return { name, status: "ok", detail: "Installed as package-lock.json says." };
	return {
		name,
		status: "warn",
		detail: "What is installed is not what package-lock.json says.",
		fix: INSTALLS,
	};
}

/** @returns {Check} */
function checkTestTools() {
	const name = "test-tools";
	const missing = TOOLS.map(({ command }) => missingTool(command)).filter((reason) => reason !== false);
	if (missing.length === 0)
		return { name, status: "ok", detail: TOOLS.map(({ command }) => command).join(", ") };
	return { name, status: "info", detail: `Tests that need them skip: ${missing.join("; ")}.` };
}
