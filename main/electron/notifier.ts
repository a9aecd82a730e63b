import { Notification } from "electron";
import type { Message } from "../notifications/announcements.ts";

/** A notification that hasn't shown by then isn't going to: the system swallowed it. */
const SHOW_MS = 2_000;

export type Notifier = { show(message: Message): void };

/**
 * Shows notifications.
 *
 * @param onClick a person has clicked one
 * @param onFailed one could not be shown, so it must be told elsewhere
 */
export function createNotifier(
	onClick: (message: Message) => void,
	onFailed: (message: Message) => void,
): Notifier {
	/** One that is collected loses its click. */
	const shown = new Set<Notification>();

	return {
		show(message) {
			if (!Notification.isSupported()) {
				onFailed(message);
				return;
			}
			const notification = new Notification({ title: message.title, body: message.body });
			shown.add(notification);
			const fail = () => {
				clearTimeout(timer);
				if (shown.delete(notification)) onFailed(message);
			};
			const timer = setTimeout(fail, SHOW_MS);
			notification.on("show", () => clearTimeout(timer));
			notification.on("failed", fail);
			notification.on("close", () => shown.delete(notification));
			notification.on("click", () => {
				shown.delete(notification);
				onClick(message);
			});
			notification.show();
		},
	};
}
