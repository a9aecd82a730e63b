/**
 * Loaded before the app, by Electron and by the stand-in alike: notes what the app sets on the tray and which
 * notifications it shows, and gives the spec's answers to what would ask a person or leave the machine.
 */
const { dialog, nativeImage, Notification, shell, Tray } = require("electron");

const probe = {
	/** @type {Electron.Tray | undefined} */
	tray: undefined,
	icon: "",
	title: "",
	toolTip: "",
	/** @type {Electron.Menu | undefined} */
	menu: undefined,
	/** @type {{ title: string, body: string }[]} */
	notifications: [],
	/** @type {Electron.Notification[]} */
	shown: [],
	/** Whether the system shows notifications; one that it swallows is told as shown by nobody. */
	showsNotifications: true,
	/** @type {string[]} */
	opened: [],
	/** @type {{ message: string, buttons: string[] | undefined }[]} */
	asked: [],
	/** What is answered to a question, and which folder is picked. */
	answer: 0,
	/** @type {string | undefined} */
	folder: undefined,
};
Object.assign(globalThis, { probe });

/** @type {Map<unknown, string>} */
const paths = new Map();
const createFromPath = nativeImage.createFromPath;
nativeImage.createFromPath = (path) => {
	const image = createFromPath(path);
	paths.set(image, path);
	probe.icon = path;
	return image;
};

/**
 * Has a method of Tray note its value before it does what it does.
 *
 * @param {"setTitle" | "setToolTip" | "setContextMenu" | "popUpContextMenu"} method
 * @param {(value: any) => void} note
 */
function onTray(method, note) {
	const prototype = /** @type {any} */ (Tray.prototype);
	const original = prototype[method];
	prototype[method] = function (/** @type {any} */ value) {
		probe.tray = this;
		note(value);
		// A menu that pops up waits for a person.
		if (method !== "popUpContextMenu") return original.call(this, value);
	};
}
onTray("setTitle", (title) => {
	probe.title = title;
});
onTray("setToolTip", (toolTip) => {
	probe.toolTip = toolTip;
});
onTray("setContextMenu", (menu) => {
	probe.menu = menu;
});
onTray("popUpContextMenu", (menu) => {
	probe.menu = menu;
});

Notification.prototype.show = function () {
	probe.notifications.push({ title: this.title, body: this.body });
	probe.shown.push(this);
	if (probe.showsNotifications) queueMicrotask(() => this.emit("show", {}));
};

shell.openExternal = async (url) => {
	probe.opened.push(url);
};
shell.showItemInFolder = (path) => {
	probe.opened.push(path);
};
dialog.showMessageBox = /** @type {any} */ (
	async (/** @type {Electron.MessageBoxOptions} */ { message, buttons }) => {
		probe.asked.push({ message, buttons });
		return { response: probe.answer, checkboxChecked: false };
	}
);
dialog.showOpenDialog = /** @type {any} */ (
	async () => ({
		canceled: probe.folder === undefined,
		filePaths: probe.folder === undefined ? [] : [probe.folder],
	})
);
