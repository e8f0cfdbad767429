/** How every command of `outpost` ends: the only list. `--help` and docs/troubleshooting.md show it. */
export const exitCode = { done: 0, failed: 1, cannotStart: 2, incompatible: 3, away: 4, lost: 5 } as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** What each means, for people. */
export const exitCodes: Readonly<Record<ExitCode, string>> = {
  0: "done as told; of an agent or a control plane: a signal stopped it, and it drained",
  1: "doctor, healthcheck, run: the answer is no; suite: tests failed; elsewhere a second signal, or a bug that the log shows",
  2: "it cannot start, or do what it was told: a sentence on standard error names what to put right",
  3: "agent: the control plane does not speak its protocol; install the matching version; suite: the control plane does not answer, or no agent could run the suite",
  4: "control plane, migrate, keys: the database does not answer; export, apply: the control plane does not; start again when it does",
  5: "agent: a signal stopped it, and results are lost that neither the control plane nor its disk took; the log names their jobs",
};
