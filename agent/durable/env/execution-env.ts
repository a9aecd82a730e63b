/** Placeholder of the environment's builder: see the folder's README. */
export interface ExecutionEnv {
	readonly id: string;
	readonly cwd: string;
}
