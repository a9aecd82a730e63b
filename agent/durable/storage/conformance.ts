import { commits } from "./conformance/commits.ts";
import { conversations } from "./conformance/conversations.ts";
import { detachment } from "./conformance/detachment.ts";
import { documentHistory } from "./conformance/document-history.ts";
import { documents } from "./conformance/documents.ts";
import { entries } from "./conformance/entries.ts";
import { createFixture, type Group, type TestRunner, type UseStorage } from "./conformance/fixture.ts";
import { forks } from "./conformance/forks.ts";
import { search } from "./conformance/search.ts";
import { submissions } from "./conformance/submissions.ts";
import { tasks } from "./conformance/tasks.ts";

export type { TestRunner, UseStorage } from "./conformance/fixture.ts";

const GROUPS: Readonly<Record<string, Group>> = {
	commits,
	conversations,
	entries,
	search,
	forks,
	tasks,
	submissions,
	documents,
	"document history": documentHistory,
	detachment,
};

/**
 * Registers what every storage promises as tests of the runner (`describe` and `it`, as `node:test` has them). `use`
 * opens a fresh, empty storage for each test, hands it to the function it is given, and cleans up.
 */
export function registerStorageConformance(runner: TestRunner, name: string, use: UseStorage): void {
	runner.describe(name, () => {
		for (const [topic, group] of Object.entries(GROUPS))
			runner.describe(topic, () =>
				group((promise, body) => runner.it(promise, () => use((storage) => body(createFixture(storage))))),
			);
	});
}
