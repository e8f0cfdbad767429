import { isSameText } from "../../keys/same-text.ts";

/** How long somebody may take for what comes after the password. */
const goodMs = 10 * 60_000;

/** What is begun with the password, and ended without asking for it again: connecting a provider, turning the second factor on. */
export type AskedFor = "sso-connect" | "second-factor";

interface Asking {
  readonly hashOf: (secret: string) => string;
  readonly askedFor: AskedFor;
  /** Of the sign-in in which it was begun. */
  readonly tokenHash: string;
  readonly nowMs: number;
}

/** Shows that it was begun in this sign-in: until when, and a hash that nobody else can know. */
export function askedProof(asking: Asking): string {
  return proofUntil(asking, asking.nowMs + goodMs);
}

export function isAskedProof(asking: Asking, given: string): boolean {
  const untilMs = Number(given.split(".")[0]);
  return Number.isSafeInteger(untilMs) && untilMs > asking.nowMs && isSameText(given, proofUntil(asking, untilMs));
}

function proofUntil({ hashOf, askedFor, tokenHash }: Asking, untilMs: number): string {
  return `${untilMs}.${hashOf(`${askedFor}:${tokenHash}:${untilMs}`)}`;
}
