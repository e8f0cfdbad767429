import type { AgenticAssertion } from "#contract/checks/agentic.ts";

/** What tools answered in one run, and what was typed into it. */
export interface Evidence {
  /** Of tools that did what they were asked; what an error says is no sight of the target. */
  readonly seen: readonly string[];
  /** Words of tools that failed: they show that something is not so, and never that it is. */
  readonly errors: readonly string[];
  /** What the run itself wrote into fields and requests: a page that shows it again proves nothing. */
  readonly typed: readonly string[];
}

/** What an assertion is told to have seen where nobody saw it. */
export const notSeen = "not seen on any page";

/**
 * The assertions as they count: who leads a run says what is true, and has to quote it. A quotation that occurs in nothing that the run saw, or only
 * repeats what the run typed, makes its assertion one that did not pass.
 */
export function judgedAssertions(claimed: readonly AgenticAssertion[], evidence: Evidence): AgenticAssertion[] {
  const seen = evidence.seen.map(plain);
  const errors = evidence.errors.map(plain);
  const typed = evidence.typed.map(plain);
  return claimed.map((assertion) => {
    const quote = plain(assertion.actual);
    const isSeen = occurs(quote, seen);
    if (!assertion.passed) return isSeen || occurs(quote, errors) ? assertion : { ...assertion, actual: notSeen };
    return isSeen && !typed.some((text) => text.includes(quote)) ? assertion : { ...assertion, passed: false, actual: notSeen };
  });
}

/** Whether what a run saw once is there again. */
export function isShown(quote: string, seen: readonly string[]): boolean {
  return occurs(plain(quote), seen.map(plain));
}

/** Less than this may stand anywhere in a page, so it has to be a word of its own. */
const shortest = 4;

export function isWord(quote: string): boolean {
  return plain(quote).length < shortest;
}

function occurs(quote: string, texts: readonly string[]): boolean {
  if (!/[\p{L}\p{N}]/u.test(quote)) return false;
  if (!isWord(quote)) return texts.some((text) => text.includes(quote));
  return texts.some((text) => text.split(/[^\p{L}\p{N}]+/u).includes(quote));
}

/** Whitespace aside. */
function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
