import type { AgenticPlan } from "#contract/agent-plans.ts";
import { sleep } from "#daemon/sleep.ts";
import { isShown, isWord } from "#domain/agentic/evidence.ts";
import { mask } from "#domain/scrub/scrub-stream.ts";
import type { ProbeFailure } from "../runners/check-runner.ts";
import type { Exchange, Journey, LinedUp } from "./journey.ts";
import { type Asked, askedOf, isTool } from "./tools.ts";

/** `fits`: everything that was shown once is shown again. `down`: there is no target to look at, so nobody has to be asked. */
export type Replayed =
  | { readonly is: "fits" }
  | { readonly is: "strays"; readonly why: string }
  | { readonly is: "down"; readonly failure: ProbeFailure };

/** Of what only this side can compare: what a page still loads may come so much later. */
const [patienceMs, everyMs] = [5_000, 50];
const noTarget = /\bnet::(ERR_\w+)|\b(ECONN\w+|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EAI_AGAIN|EPOLICY)\b/;
const opening: ReadonlySet<string> = new Set(["browser_open", "http_request"]);

/** Does the steps of a run that passed again, and looks for what it quoted. @throws {AppError} where the browser ended */
export async function replay({ steps, assertions }: AgenticPlan, journey: Journey, signal: AbortSignal): Promise<Replayed> {
  const quotes = assertions.map(({ actual }) => actual);
  const wishes = steps.map(wishOf);
  const firstUnknown = wishes.indexOf(null);
  const known = wishes.slice(0, firstUnknown === -1 ? wishes.length : firstUnknown).filter((wish) => wish !== null);
  const linedUp = await journey.lineUp(known, quotes.filter(isLiteral));
  for (const [index, { tool, input }] of known.entries()) {
    const came = cameOf(await journey.act(tool, input, linedUp.steps[index]));
    if (came !== null) return came;
  }
  if (firstUnknown !== -1) return { is: "strays", why: `${steps[firstUnknown]?.tool} is no tool of this agent.` };
  const missing = await missingIn(quotes, journey, linedUp.end, signal);
  if (missing === null) return { is: "fits" };
  return { is: "strays", why: `no answer shows ${JSON.stringify(missing.slice(0, 200))} any more.` };
}

type Wish = Extract<Asked, { readonly is: "act" }>;

/** Null for what is no tool of this agent. */
function wishOf({ tool, input }: AgenticPlan["steps"][number]): Wish | null {
  const wish = isTool(tool) ? askedOf(tool, JSON.stringify(input)) : null;
  return wish?.is === "act" ? wish : null;
}

/** Null where it worked. */
function cameOf({ tool, ok, text }: Exchange): Replayed | null {
  if (ok) return null;
  const code = opening.has(tool) ? downCode(text) : null;
  if (code === null) return { is: "strays", why: `${tool}: ${text}` };
  return { is: "down", failure: { code, message: text.replace(/^error: /, "").slice(0, 1_000), side: "target" } };
}

/** Why nothing answered; null where something did, or the browser itself refused. */
function downCode(text: string): string | null {
  const [, byBrowser, bySystem] = noTarget.exec(text) ?? [];
  const code = byBrowser ?? bySystem ?? null;
  return code === "ERR_BLOCKED_BY_CLIENT" || code === "ERR_ABORTED" ? null : code;
}

/** The first that is not shown, after some patience; null where all are. The tree was patient already with what it can compare itself. */
async function missingIn(quotes: readonly string[], journey: Journey, end: LinedUp["end"], signal: AbortSignal): Promise<string | null> {
  const absent = (): string | undefined => quotes.find((quote) => !isShown(quote, journey.evidence.seen));
  if (absent() !== undefined) await journey.glance(end);
  const limitMs = quotes.every(isLiteral) ? 0 : patienceMs;
  for (const endMs = performance.now() + limitMs; absent() !== undefined && performance.now() < endMs; ) {
    await journey.glance();
    await sleep(everyMs, signal);
  }
  return absent() ?? null;
}

/** Whether it is shown where its very words are: the tree knows no masks, and not what else counts for short ones. */
function isLiteral(quote: string): boolean {
  return !quote.includes(mask) && !isWord(quote);
}
