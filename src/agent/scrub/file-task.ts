export interface FileTask {
  readonly from: string;
  /** Written anew, mode 0600, where clean, too; in a folder that is there. Temporary files stand beside it meanwhile. */
  readonly to: string;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}

/** What travels to the thread. */
export interface ThreadTask extends Omit<FileTask, "signal"> {
  readonly folder: string;
}

/** What became of a file that is to leave the agent. Withheld: nothing of it may leave, and `to` is not there. The reason goes to users. */
export type FileVerdict = { readonly is: "clean" | "scrubbed" } | { readonly is: "withheld"; readonly reason: string };
