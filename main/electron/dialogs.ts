import { dialog } from "electron";
import { count } from "../sessions/words.ts";

/** Asks for a folder. */
export async function askForFolder(): Promise<string | undefined> {
	const { canceled, filePaths } = await dialog.showOpenDialog({
		title: "Start a session in",
		buttonLabel: "Choose",
		properties: ["openDirectory", "createDirectory"],
	});
	return canceled ? undefined : filePaths[0];
}

/** Asks whether sessions may work in a folder outside the allowed ones. */
export function confirmFolder(directory: string): Promise<boolean> {
	return confirm(
		`Let sessions work in ${directory}?`,
		"It is outside your home folder. Sessions can then read and change what is in it.",
		"Allow",
	);
}

export function confirmStopAll(running: number): Promise<boolean> {
	return confirm(
		`Stop ${count(running, "session")}?`,
		"What they have done and said is kept. Commands that they run are ended.",
		"Stop all",
	);
}

export function confirmMove(): Promise<boolean> {
	return confirm(
		"Move Outlive to the Applications folder?",
		"It was opened where it was downloaded, and can’t keep sessions running from there.",
		"Move",
	);
}

export function showError(title: string, sentence: string): void {
	dialog.showErrorBox(title, sentence);
}

async function confirm(message: string, detail: string, yes: string): Promise<boolean> {
	const { response } = await dialog.showMessageBox({
		type: "question",
		message,
		detail,
		buttons: [yes, "Cancel"],
		defaultId: 0,
		cancelId: 1,
	});
	return response === 0;
}
