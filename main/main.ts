import { join } from "node:path";
import { app, session, shell } from "electron";
import { rememberApp } from "../agent/platform/app-command.ts";
import {
	DataDirectoryRefused,
	dataDirectory,
	prepareDataDirectory,
} from "../agent/platform/data-directory.ts";
import { homeOf } from "../agent/platform/environment.ts";
import { lastWords, outputWords } from "../agent/platform/last-words.ts";
import { startAgent } from "../agent/platform/start-agent.ts";
import { connectSocket } from "../agent/protocol/node-socket-transport.ts";
import { createActions } from "./actions.ts";
import { agentCommand, isTranslocated } from "./agent/agent-command.ts";
import { createAgentLink } from "./agent/agent-link.ts";
import { createWindowPorts } from "./agent/window-ports.ts";
import { createAppModel } from "./app-model.ts";
import { setAppMenu } from "./electron/app-menu.ts";
import { askForFolder, confirmFolder, confirmMove, confirmStopAll, showError } from "./electron/dialogs.ts";
import { opensAtLogin, setOpensAtLogin, wasStartedAtLogin } from "./electron/login-item.ts";
import { createMainWindow } from "./electron/main-window.ts";
import { createNotifier } from "./electron/notifier.ts";
import { listenForRequests } from "./electron/outside-requests.ts";
import { ownCommand } from "./electron/own-command.ts";
import { registerPageScheme, servePages } from "./electron/page-scheme.ts";
import { createPopover } from "./electron/popover.ts";
import { guardPages } from "./electron/security.ts";
import { createTray } from "./electron/tray.ts";
import { answerWindow, pageLeft } from "./electron/window-requests.ts";
import { openAppState } from "./state/app-state.ts";

/**
 * Electron's main process: it starts the agent, passes lines on between it and the window, and shows in the menu bar and
 * in notifications what goes on. It holds nothing that a session needs. This file is the story of its start.
 */

app.enableSandbox();
registerPageScheme();

const data = prepare();
const outside = listenForRequests();
if (!app.requestSingleInstanceLock()) app.exit(0);
else void app.whenReady().then(start);

/** The data directory also holds Chromium's own files, so that two data directories are two apps. */
function prepare() {
	const directory = dataDirectory(process.env, process.platform);
	try {
		const paths = prepareDataDirectory(directory);
		app.setPath("userData", join(directory, "app"));
		return paths;
	} catch (error) {
		if (!(error instanceof DataDirectoryRefused)) throw error;
		showError("Outlive can’t start", error.message);
		process.exit(1);
	}
}

async function start(): Promise<void> {
	let isQuitting = false;
	app.on("before-quit", () => {
		isQuitting = true;
	});
	// The app lives in the menu bar; a closed window ends nothing.
	app.on("window-all-closed", () => {});
	if (app.isPackaged && isTranslocated(process.execPath) && (await confirmMove()))
		app.moveToApplicationsFolder();

	const root = app.getAppPath();
	guardPages(session.defaultSession);
	servePages(root);
	app.setAsDefaultProtocolClient("outlive");
	rememberApp(data.appCommand, ownCommand());

	const place = {
		isPackaged: app.isPackaged,
		appPath: root,
		binary: process.execPath,
		version: app.getVersion(),
		platform: process.platform,
		env: process.env,
	};
	const link = createAgentLink({
		socket: data.socket,
		client: `outlive-app ${app.getVersion()}`,
		start: async (...args) => startAgent(await agentCommand(place, data.directory), data, process.env, args),
		lastWords: (agent) => lastWords(data, agent.before),
		outputWords: (agent) => outputWords(data, agent.before),
	});

	const notifier = createNotifier(
		(message) => (message.session === undefined ? window.show() : actions.openSession(message.session)),
		(message) => model.addNotice(message),
	);
	const say = (title: string, body: string) => notifier.show({ title, body });
	const state = openAppState(join(data.directory, "app.json"), (error) =>
		say("Outlive can’t remember what it has told you", error.message),
	);
	const ports = createWindowPorts(() => connectSocket(data.socket), link.settled);
	const window = createMainWindow({
		preload: join(root, "window-preload.cjs"),
		icon: process.platform === "darwin" ? undefined : join(root, "icons", "app.png"),
		state,
		isQuitting: () => isQuitting,
		onLeft: (page) => pageLeft(page, ports),
	});
	const model = createAppModel({
		link,
		version: app.getVersion(),
		state,
		isInFront: window.isInFront,
		notify: notifier.show,
		opensAtLogin,
		onChange: () => queueMicrotask(refresh),
	});
	const showLog = () => shell.showItemInFolder(data.log);
	const actions = createActions({
		client: link.client,
		home: homeOf(process.env),
		view: () => model.view,
		window,
		ask: { folder: askForFolder, confirmFolder, confirmStopAll },
		say,
		dismissNotice: model.dismissNotice,
		setOpensAtLogin(value) {
			setOpensAtLogin(value);
			refresh();
		},
		replaceAgent: link.replace,
		showLog,
		quit: () => app.quit(),
	});
	const popover = createPopover(join(root, "popover-preload.cjs"), () => model.list("second"), actions.act);
	const tray = createTray({
		icons: join(root, "icons", "tray"),
		list: () => model.list("minute"),
		act: actions.act,
		onDrop: actions.startIn,
		onClick: popover.toggle,
	});

	function refresh(): void {
		tray.update(model.picture());
		popover.refresh();
	}

	setAppMenu(window.command);
	answerWindow({ owns: window.owns, ports, showLog, ...actions });
	app.on("activate", () => window.show());
	if (!wasStartedAtLogin()) actions.follow(process.argv);
	outside.follow(actions.follow);
	refresh();
}
