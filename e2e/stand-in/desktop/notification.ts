import type { NotificationConstructorOptions, Notification as Real } from "electron";
import { checkOptions, StrictEmitter, strict, strictClass } from "../strict.ts";

/** Is shown at once, and told to nobody; a spec that wants another end of it replaces `show`. */
class StandInNotification extends StrictEmitter implements Pick<Real, "title" | "body" | "show" | "close"> {
	title: string;
	body: string;

	constructor(options: NotificationConstructorOptions = {}) {
		super("Notification", ["show", "click", "close", "failed"]);
		checkOptions("Notification", options, ["title", "body"]);
		this.title = options.title ?? "";
		this.body = options.body ?? "";
		// biome-ignore lint/correctness/noConstructorReturn: the app gets the one that throws on what it lacks.
		return strict("Notification", this);
	}

	static isSupported() {
		return true;
	}

	show() {
		queueMicrotask(() => this.emit("show", {}));
	}

	close() {
		this.emit("close", {});
	}
}

export const Notification = strictClass("Notification", StandInNotification);
