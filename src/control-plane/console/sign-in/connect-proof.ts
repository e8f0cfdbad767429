import { isSameText } from "../../keys/same-text.ts";

/** How long somebody may look at the page that leads on to the provider. */
const goodMs = 10 * 60_000;

/** Shows that whoever is signed in, and nobody else, has asked to connect a provider: until when, and a hash that no other site can know. */
export function connectProof(hashOf: (secret: string) => string, tokenHash: string, nowMs: number): string {
  return proofUntil(hashOf, tokenHash, nowMs + goodMs);
}

export function isConnectProof(hashOf: (secret: string) => string, tokenHash: string, nowMs: number, given: string): boolean {
  const untilMs = Number(given.split(".")[0]);
  return Number.isSafeInteger(untilMs) && untilMs > nowMs && isSameText(given, proofUntil(hashOf, tokenHash, untilMs));
}

function proofUntil(hashOf: (secret: string) => string, tokenHash: string, untilMs: number): string {
  return `${untilMs}.${hashOf(`sso-connect:${tokenHash}:${untilMs}`)}`;
}
