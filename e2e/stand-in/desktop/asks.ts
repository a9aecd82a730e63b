import type { Dialog, Shell } from "electron";
import { NotRepresented, strict } from "../strict.ts";

/** What asks a person or leaves the machine: each throws until the spec has put its own answer in its place. */
function unanswered(what: string): () => never {
	return () => {
		throw new NotRepresented(`an answer to ${what}: the spec must give one`);
	};
}

const dialogs: Pick<Dialog, "showOpenDialog" | "showMessageBox" | "showErrorBox"> = {
	showOpenDialog: unanswered("dialog.showOpenDialog"),
	showMessageBox: unanswered("dialog.showMessageBox"),
	showErrorBox(title, content) {
		process.stderr.write(`stand-in: error box: ${title}: ${content}\n`);
	},
};

const ways: Pick<Shell, "openExternal" | "showItemInFolder"> = {
	openExternal: unanswered("shell.openExternal"),
	showItemInFolder: unanswered("shell.showItemInFolder"),
};

export const dialog = strict("dialog", dialogs);
export const shell = strict("shell", ways);
