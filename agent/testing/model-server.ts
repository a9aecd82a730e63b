import { argv } from "node:process";
import { createToolCallingServer } from "./tool-calling-server.ts";

/**
 * A model server as a program of its own: `model-server.ts ADDRESS COMMAND`. It has the model call `bash` with COMMAND.
 * Prints its port once it listens.
 */
const [, , address = "127.0.0.1", command = "true"] = argv;

const server = createToolCallingServer(command);
server.listen(0, address, () => {
	const bound = server.address();
	process.stdout.write(`${typeof bound === "object" ? bound?.port : bound}\n`);
});
