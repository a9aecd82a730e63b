import { basename } from "node:path";
import type { HandlerDeps, Handlers } from "./handler.ts";

export function projectHandlers({
	sessions,
	files,
}: HandlerDeps): Pick<Handlers, "projects.list" | "projects.allow"> {
	return {
		"projects.list": async () => {
			const [projects, roots] = await Promise.all([sessions.projects(), sessions.roots()]);
			return {
				projects: projects.map((project) => ({
					...project,
					name: basename(project.directory) || project.directory,
				})),
				roots: [...roots],
			};
		},
		"projects.allow": async ({ directory }) => ({ ...(await sessions.allow(files.resolve(directory))) }),
	};
}
