/**
 * What the command line ends with: 0 done, 1 the run failed or was stopped, 2 wrong usage, 3 the agent can't be reached
 * or started, 4 no such session, 5 refused. 130 is the shell's own for a wait that Ctrl-C ended.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130;
