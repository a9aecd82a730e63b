/** Something that is wrong with the agent as a whole, and what to do about it. */
export type HealthProblem = {
	/** For example `disk_low`, `database_restored`, `backup_failed`. */
	code: string;
	message: string;
	fix?: string;
	at: number;
};

export type Health = {
	ok: boolean;
	disk: { freeBytes: number; state: "ok" | "low" | "full" };
	database: {
		bytes: number;
		state: "ok" | "restored" | "damaged";
		/** When it was last checked as a whole. */
		checkedAt: number | null;
	};
	lastBackupAt: number | null;
	problems: HealthProblem[];
};
