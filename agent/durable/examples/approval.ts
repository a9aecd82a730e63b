/**
 * A person's approval outlives the process: the hook stores it with `memo()`, where the first write wins. The first
 * process ends right after the answer; the second asks nobody and runs the call.
 */
import { awaitWithContext } from "@earendil-works/chord/context";
import { fauxToolCall } from "@earendil-works/pi-ai";
import { obj, str } from "@earendil-works/pi-schema";
import { createRegistry, defineExtension, defineTool, Harness, hook, ToolTask } from "outlive/durable";
import { openNodeSqliteStorage } from "outlive/durable/storage/sqlite/node";
import { context, MODEL, scriptedModel, transcriptOf } from "./said.ts";
import { temporaryFile } from "./temporary-file.ts";

const deploy = defineTool({
	name: "deploy",
	description: "Deploys the project.",
	parameters: obj({ to: str() }),
	execute: async ({ to }) => ({ content: [{ type: "text", text: `deployed to ${to}` }] }),
});

const answered = Promise.withResolvers<void>();

const Approval = defineExtension({
	name: "approval",
	tools: [deploy],
	hooks: [
		hook(ToolTask, {
			beforeTool: async (call, api, context) => {
				let isAllowed = await api.memo<boolean>("allowed", context);
				if (isAllowed === undefined) {
					const answer = call.arguments.to === "staging";
					console.log(`May it run ${call.name} ${call.arguments.to}? ${answer ? "yes" : "no"}`);
					isAllowed = await api.memo<boolean>("allowed", answer, context);
					answered.resolve();
					// The process ends here, before the call begins.
					if (isAllowed) await awaitWithContext(new Promise<void>(() => {}), context);
				}
				return isAllowed ? undefined : { block: "A person said no." };
			},
		}),
	],
});

const file = temporaryFile("session.sqlite");
const registry = createRegistry();
registry.install(Approval);

const models = scriptedModel(
	[fauxToolCall("deploy", { to: "staging" })],
	[fauxToolCall("deploy", { to: "production" })],
	"It is on staging only.",
);
const first = await Harness.open(await openNodeSqliteStorage(file), { models, registry }, context);
const root = await first.root(context, { agent: { model: MODEL } });
const { id } = await root.submit({ type: "input", content: "Deploy" }, context);
await answered.promise;
await first.close(context);
console.log("-- the process ended; another one goes on");

const second = await Harness.open(await openNodeSqliteStorage(file), { models, registry }, context);
second.resume();
await (await second.submission(id, context))?.wait(context);
console.log(await transcriptOf(await second.root(context)));
await second.close(context);

/* prints:
May it run deploy staging? yes
-- the process ended; another one goes on
May it run deploy production? no
user: Deploy
assistant: deploy({"to":"staging"})
toolResult: deployed to staging
assistant: deploy({"to":"production"})
toolResult: <harness>
[error] A person said no.
</harness>
assistant: It is on staging only.
*/
