/* What a failure may come from, and what says so. */

export const causeKinds = [
  "agent",
  "maintenance",
  "host",
  "location",
  "certificate",
  "name",
  "address",
  "network",
  "refused",
  "timeout",
  "closed",
  "tls",
  "policy",
  "access",
  "server-error",
  "missing-page",
  "rate-limit",
  "redirect",
  "answer-changed",
  "slow",
  "script",
  "setup",
  "edit",
  "deployment",
  "agent-version",
  "not-pinged",
  "schedule",
  "control-plane",
] as const;
export type CauseKind = (typeof causeKinds)[number];

/** How sure it is: `high` where what was seen says it, `medium` where it fits, `low` where it only happened about then. */
export const confidences = ["high", "medium", "low"] as const;
export type Confidence = (typeof confidences)[number];

/** What a page can lead to. Ids are those of REST. */
export type EvidenceOf =
  | { readonly kind: "result"; readonly checkId: string; readonly resultId: string; readonly file?: string | undefined }
  | { readonly kind: "check"; readonly checkId: string }
  | { readonly kind: "audit-log"; readonly atMs: number }
  | { readonly kind: "maintenance" }
  | { readonly kind: "location" }
  /** The error's own message, where no run is stored that it came from. */
  | { readonly kind: "message" };

/** One piece of evidence: what it says in a sentence, and where it stands. */
export interface Evidence {
  readonly says: string;
  readonly of: EvidenceOf;
}

/** Nobody reads more. */
const mostCauses = 6;

/** The first few, in the order of their rules where they are as sure; what nothing shows is no cause. */
export function surestFirst(causes: readonly Cause[]): readonly Cause[] {
  const shown = causes.filter(({ evidence }) => evidence.length > 0);
  return shown.toSorted((a, b) => confidences.indexOf(a.confidence) - confidences.indexOf(b.confidence)).slice(0, mostCauses); // a stable order
}

export interface Cause {
  readonly kind: CauseKind;
  /** A whole sentence. */
  readonly text: string;
  readonly confidence: Confidence;
  /** At least one. */
  readonly evidence: readonly Evidence[];
}
