import type { ChatAnswer, ChatModel } from "#daemon/chat-model.ts";
import { secretIn } from "#domain/open-secrets.ts";
import type { Evidence } from "#domain/root-causes/cause.ts";
import { acceptedClaims, proposedChange } from "#domain/root-causes/claims.ts";
import { changeByModel, type ScriptChange } from "#domain/root-causes/script-facts.ts";
import { createScrubber, type Scrubber } from "#domain/scrub/scrubber.ts";
import { analysisSettings } from "../../kinds/analysis-settings.ts";
import type { AccountStore, AnalysisRow, AnalysisStore, NewAuditEntry } from "../../storage/storage.ts";
import type { Findings } from "../analyse.ts";
import type { ModelWord } from "../stored-analysis.ts";
import { type KnownSecretDeps, knownSecrets } from "./known-secrets.ts";
import { chatMessages, type ModelFacts, modelFacts } from "./prompt.ts";
import type { ModelSettings } from "./settings.ts";

export interface AskModelDeps extends KnownSecretDeps {
  readonly model: ChatModel;
  readonly settings: Pick<ModelSettings, "dailyTokens" | "key">;
  readonly accounts: Pick<AccountStore, "byId">;
  readonly analyses: Pick<AnalysisStore, "spend" | "spentSince">;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly nowMs: () => number;
}

const dayMs = 86_400_000;
/** So long nobody waits again for an endpoint that is down: rules answer at once. */
const pauseMs = 60_000;
/** Of the facts, in characters: no endpoint gets more. */
const factsAtMost = 24_000;

/** Asks the operator's model about one failure; null where its account does not allow that. What it says counts only with evidence. */
export function createAskModel(deps: AskModelDeps) {
  const { model, settings, accounts, analyses, nowMs } = deps;
  let pausedUntilMs = 0;

  return async (row: AnalysisRow, found: Findings, signal: AbortSignal): Promise<ModelWord | null> => {
    const account = await accounts.byId(row.accountId);
    if (account === undefined || !analysisSettings(account).byModel) return null;
    const silent = (because: string): ModelWord => ({ name: model.name, claims: [], dropped: 0, because });
    if (nowMs() < pausedUntilMs) return silent("The model's endpoint was not available a moment ago, so it was not asked.");
    if ((await analyses.spentSince(row.accountId, nowMs() - dayMs)) >= settings.dailyTokens)
      return silent("The account has used up its tokens of the last 24 hours.");
    const scrubber = createScrubber([
      ...(await knownSecrets(deps, row.accountId, found.check.id)),
      ...(settings.key === null ? [] : [settings.key.reveal()]),
    ]);
    const evidence = found.evidence.map(({ says, of }) => ({ says: scrubbed(scrubber, says), of }));
    const sent = scrubbedFacts(scrubber, modelFacts(found, evidence, row.userContext));
    const messages = chatMessages(sent);
    if (messages.reduce((sum, { content }) => sum + content.length, 0) > factsAtMost)
      return silent("There is more to tell of this failure than is sent to a model.");
    const answer = await model.ask(messages, signal);
    await noteCall(deps, row, answer);
    if ("because" in answer) {
      if (answer.isDown) pausedUntilMs = nowMs() + pauseMs;
      return silent(answer.because);
    }
    const accepted = acceptedClaims(scrubbed(scrubber, answer.text), evidence);
    if (accepted === null) return silent("The model's answer is not of the form that was asked for.");
    const text = scrubbed(scrubber, answer.text);
    const claims = accepted.claims.map(({ text, evidence: named }) => ({ text, evidence: [...named] }));
    const change = changeIn(text, evidence, found, scrubber);
    const dropped = accepted.dropped + (change === null && /"change"\s*:\s*\{/.test(text) ? 1 : 0);
    return { name: model.name, claims, dropped, because: null, change };
  };
}

/** Only of what was sent, and where nothing of it is a secret. */
function changeIn(answer: string, evidence: readonly Evidence[], { script }: Findings, scrubber: Scrubber): ScriptChange | null {
  const proposed = proposedChange(answer, evidence);
  const change = proposed && changeByModel(script, proposed.evidence.says, proposed.why);
  return change !== null && scrubbed(scrubber, change.after) === change.after ? change : null;
}

/** Who, when and how many tokens; nothing of what was said. */
async function noteCall(
  { analyses, audit, nowMs, model }: AskModelDeps,
  { uuid, accountId, askedBy }: AnalysisRow,
  answer: ChatAnswer,
): Promise<void> {
  const { prompt, completion } = answer.tokens;
  await analyses.spend(uuid, prompt + completion);
  const fields = [
    `model ${model.name}`,
    `prompt tokens ${prompt}`,
    `completion tokens ${completion}`,
    "because" in answer ? "no answer" : "answered",
  ];
  await audit({ accountId, atMs: nowMs(), operation: "askRootCauseModel", resourceId: uuid, fields, actor: askedBy, request: null });
}

function scrubbedFacts(scrubber: Scrubber, facts: ModelFacts): ModelFacts {
  return withTexts(facts, (text) => scrubbed(scrubber, text));
}

function withTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === "string") return change(value) as T;
  if (Array.isArray(value)) return value.map((one: unknown) => withTexts(one, change)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withTexts(one, change)])) as T;
}

const mostForms = 20;

/** Without the secrets that are known, and without what has the form of a well-known credential. */
function scrubbed(scrubber: Scrubber, text: string): string {
  let clean = scrubber.scrubText(text);
  for (let count = 0; count < mostForms; count += 1) {
    const found = secretIn(clean, []);
    if (found === undefined) break;
    clean = clean.replaceAll(found, "***");
  }
  return clean;
}
