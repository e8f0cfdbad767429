import { oneLine } from "../alerting/plain-text.ts";
import type { Evidence } from "./cause.ts";

/** What a model said, with the evidence that it named. */
export interface Claim {
  readonly text: string;
  readonly evidence: readonly Evidence[];
}

export interface Claims {
  readonly claims: readonly Claim[];
  /** How many were left out. */
  readonly dropped: number;
}

const [mostClaims, longestClaim, shortestQuote] = [5, 500, 4];

/** The number of a piece of evidence as a model names it: `E1` is the first. */
export function evidenceName(index: number): string {
  return `E${index + 1}`;
}

/**
 * The claims of a model's answer that stand on evidence: each names at least one piece and quotes words that occur in one of them. All others
 * are dropped, and so are those that lead to an address which no evidence has. Texts in the evidence that tell a model what to say
 * thereby gain nothing that the evidence does not show.
 *
 * @returns null where the answer is no answer of the form that was asked for
 */
export function acceptedClaims(answer: string, evidence: readonly Evidence[]): Claims | null {
  const given = claimsIn(answer);
  if (given === null) return null;
  const claims = given.flatMap((one) => accepted(one, evidence)).slice(0, mostClaims);
  return { claims, dropped: given.length - claims.length };
}

function claimsIn(answer: string): readonly unknown[] | null {
  const claims = jsonObject(answer)?.["claims"];
  return Array.isArray(claims) ? claims : null;
}

/** Models put JSON in fences, and words before it. */
function jsonObject(answer: string): Readonly<Record<string, unknown>> | null {
  const [from, to] = [answer.indexOf("{"), answer.lastIndexOf("}")];
  if (from < 0 || to < from) return null;
  try {
    const parsed: unknown = JSON.parse(answer.slice(from, to + 1));
    return typeof parsed === "object" && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}

/** A change that a model proposes: it only names an element of the page; what becomes of the script is not its word. */
export interface ProposedChange {
  readonly why: string;
  readonly evidence: Evidence;
}

/** By the rule of claims: it names one piece and quotes it. Null where it proposes nothing that stands. */
export function proposedChange(answer: string, evidence: readonly Evidence[]): ProposedChange | null {
  const proposed = jsonObject(answer)?.["change"];
  const [claim] = accepted(proposed, evidence);
  const [piece, ...others] = claim?.evidence ?? [];
  return claim === undefined || piece === undefined || others.length > 0 ? null : { why: claim.text, evidence: piece };
}

function accepted(claim: unknown, evidence: readonly Evidence[]): readonly Claim[] {
  if (typeof claim !== "object" || claim === null) return [];
  const { text, evidence: names, quote } = claim as { readonly text?: unknown; readonly evidence?: unknown; readonly quote?: unknown };
  if (typeof text !== "string" || typeof quote !== "string" || !Array.isArray(names)) return [];
  const said = oneLine(text, longestClaim);
  const named = evidence.filter((_piece, index) => names.includes(evidenceName(index)));
  const isQuoted = plain(quote).length >= shortestQuote && named.some(({ says }) => plain(says).includes(plain(quote)));
  return said === "" || !isQuoted || leadsElsewhere(said, evidence) ? [] : [{ text: said, evidence: named }];
}

/** Blanks and capitals aside. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().toLowerCase();
}

function leadsElsewhere(text: string, evidence: readonly Evidence[]): boolean {
  const addresses = text.match(/\b(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.)[^\s"'<>)]+/gi) ?? [];
  return addresses.some((address) => !evidence.some(({ says }) => says.includes(address)));
}
