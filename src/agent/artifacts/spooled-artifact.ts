import { z } from "zod";
import { ArtifactDeclaration } from "#contract/agent-artifacts.ts";

/** What lies beside a spooled file. */
export const About = z.object({
  declaration: ArtifactDeclaration,
  /** The report of its attempt has at most this number in the outbox (`ResultOutbox`): it goes after that one. */
  reportSeq: z.number(),
  /** Epoch ms. */
  madeAtMs: z.number(),
});
export type About = z.output<typeof About>;

/** A scrubbed file that waits for its upload: a folder of its own on the disk, moved as one. */
export interface SpooledArtifact extends About {
  readonly folder: string;
}

export const aboutName = "about.json";
export const dataName = "data";

const prefix = "artifact-";

/** Sorts by age. */
export function artifactFolderName(madeAtMs: number, id: string): string {
  return `${prefix}${String(Math.round(madeAtMs)).padStart(15, "0")}-${id}`;
}

export function isArtifactFolder(name: string): boolean {
  return /^artifact-\d{15}-[0-9a-f-]{36}$/.test(name);
}

/** Why dropped an artifact; a label of a metric. */
export type ArtifactDrop =
  | "too_large"
  | "no_space"
  | "overflow"
  | "age"
  /** The control plane does not take it. */
  | "refused"
  | "unreadable"
  /** Too many at once were to be scrubbed. */
  | "busy"
  /** Scrubbing it failed, so nothing of it may leave. */
  | "not_scrubbed";
