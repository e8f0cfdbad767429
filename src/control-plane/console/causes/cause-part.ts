import { isPinged } from "#contract/checks/traits.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { roleAllows } from "#domain/key.ts";
import type { EvidenceOf } from "#domain/root-causes/cause.ts";
import { errorGroupUuid } from "../../kinds/ids.ts";
import { evidencePath, type ModelWord, type StoredAnalysis, storedAnalysis } from "../../root-causes/stored-analysis.ts";
import type { AnalysedGroup, AnalysisRow, AnalysisStore } from "../../storage/storage.ts";
import { causeTexts as texts } from "../../texts/causes.ts";
import { type Html, html } from "../../view/html.ts";
import { timeElement } from "../../view/units.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { verbatim } from "../facts.ts";
import { hidden, postForm } from "../form-view.ts";
import type { Visit } from "../visit.ts";

export interface CauseDeps {
  readonly analyses: Pick<AnalysisStore, "latest">;
}

/** What a page tells the cause of: an error, or a check that is degraded or not pinged. */
export type Subject = { readonly errorGroup: number } | { readonly check: { readonly id: number; readonly uuid: string } };

/** What is known of why an error happens; `latest` undefined: nobody asked. */
export interface CauseRead {
  readonly of: Subject;
  readonly latest: AnalysisRow | undefined;
}

/** Null where there is nothing to analyse. */
export async function readCause(
  { analyses }: CauseDeps,
  { account }: Pick<Visit, "account">,
  of: Subject | null,
): Promise<CauseRead | null> {
  return of === null ? null : { of, latest: await analyses.latest(account.id, analysedOf(of)) };
}

function analysedOf(of: Subject): AnalysedGroup {
  const none = { errorGroupId: null, testFailureGroupId: null };
  return "check" in of ? { ...none, checkId: of.check.id } : { ...none, errorGroupId: of.errorGroup };
}

/** What an episode tells of: a check that failed without an error, as one whose agents are silent, has no cause to look for. */
export function subjectOf({
  errorGroup,
  standing,
  check,
}: {
  readonly errorGroup: number | null;
  readonly standing: "failing" | "degraded";
  readonly check: { readonly id: number; readonly uuid: string; readonly type: CheckTypeName };
}): Subject | null {
  if (errorGroup !== null) return { errorGroup };
  return standing === "degraded" || isPinged(check.type) ? { check } : null;
}

/** The likely causes with links to their evidence, and the button that has them looked for. @param path of the page that shows it */
export function causePart(visit: Visit, read: CauseRead | null, path: string): Html {
  if (read === null) return html``;
  const { latest } = read;
  const mayAsk = roleAllows(visit.role, "run") && latest?.status !== "PENDING";
  const settings = roleAllows(visit.role, "admin") && html`<p class="made"><a href="/alerts/causes">${texts.settings}</a></p>`;
  return html`<section class="likely" id="likely-cause"><h2>${texts.title}</h2>
${said(visit, read, path)}
${mayAsk && askForm(visit, read, path)}${settings}</section>`;
}

function said(visit: Visit, { latest }: CauseRead, path: string): Html {
  if (latest === undefined) return html`<p class="box">${texts.notYet}</p>`;
  if (latest.status === "PENDING") return html`<p class="box" role="status">${texts.pending} <a href="${path}">${texts.refresh}</a></p>`;
  const stored = storedAnalysis(latest.completed?.analysis);
  if (stored === undefined) return html`<p class="box">${texts.failed}</p>`;
  return analysisPart(visit, stored, latest);
}

function analysisPart(visit: Visit, { causes, model, change = null }: StoredAnalysis, { uuid, createdAtMs: atMs }: AnalysisRow): Html {
  const at = timeElement(atMs);
  const items = causes.map(
    ({ text, confidence, evidence }) =>
      html`<li><p>${text} <span class="sure">${texts.confidences[confidence]}</span></p>${evidenceList(visit, evidence)}</li>`,
  );
  const hasModel = model !== null && model.because === null;
  return html`${causes.length === 0 ? html`<p class="box">${texts.none}</p>` : html`<ol class="causes">${items}</ol>`}
${model !== null && modelPart(visit, model)}
${change !== null && changePart(visit, change, uuid)}
<p class="made">${hasModel ? texts.madeByBoth(at, model.name) : texts.madeByRules(at)}</p>`;
}

function modelPart(visit: Visit, { claims, dropped, because }: ModelWord): Html {
  if (because !== null) return html`<p class="made">${texts.modelSilent(because)}</p>`;
  const left = dropped > 0 && html`<p class="made">${texts.dropped(dropped)}</p>`;
  if (claims.length === 0) return html`<p class="made">${texts.modelNothing}</p>${left}`;
  return html`<h3>${texts.modelTitle}</h3><p class="made">${texts.modelHint}</p>
<ul class="causes">${claims.map(({ text, evidence }) => html`<li><p>${text}</p>${evidenceList(visit, evidence)}</li>`)}</ul>${left}`;
}

/** A line of the script as it could be, for whoever may change checks to accept. */
function changePart(
  visit: Visit,
  { checkId, file, line, before, after, by, why }: NonNullable<StoredAnalysis["change"]>,
  uuid: string,
): Html {
  const { csrf, role } = visit;
  const { title, hints, label, accept, question } = texts.change;
  const path = `/checks/${checkId}/analyses/${uuid}/change`;
  return html`<h3>${title}</h3><p>${why}</p><p class="made">${hints[by]}</p>${verbatim(`- ${before}\n+ ${after}`, label(file, line))}
${roleAllows(role, "write") && confirmedAction(csrf, path, question, accept, "")}`;
}

/** What the rules begin a piece of evidence with themselves. */
const ownWords = /^(?:agents|answered|hop|the|this|took|traceroute|went)\b/;

/** Names and messages stay as they were written. */
export function evidenceText(says: string): string {
  return ownWords.test(says) ? says.charAt(0).toUpperCase() + says.slice(1) : says;
}

function evidenceList(visit: Visit, evidence: readonly { readonly says: string; readonly of: EvidenceOf }[]): Html {
  const items = evidence.map(({ says, of }) => {
    // The audit log is for some only.
    const path = of.kind === "audit-log" && !roleAllows(visit.role, "admin") ? null : evidencePath(of);
    const text = evidenceText(says);
    return html`<li>${path === null ? text : html`<a href="${path}">${text}</a>`}</li>`;
  });
  return html`<ul aria-label="${texts.evidence}">${items}</ul>`;
}

function askForm(visit: Visit, { of, latest }: CauseRead, path: string): Html {
  const subject = "check" in of ? hidden("check", of.check.uuid) : hidden("group", errorGroupUuid(of.errorGroup));
  const content = html`${subject}${hidden("to", path)}<button class="quiet">${latest === undefined ? texts.ask : texts.askAgain}</button>`;
  return postForm("/alerts/causes/ask", visit.csrf, content);
}
