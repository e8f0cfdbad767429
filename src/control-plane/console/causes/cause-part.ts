import { roleAllows } from "#domain/key.ts";
import type { EvidenceOf } from "#domain/root-causes/cause.ts";
import { errorGroupUuid } from "../../kinds/ids.ts";
import { evidencePath, type ModelWord, type StoredAnalysis, storedAnalysis } from "../../root-causes/stored-analysis.ts";
import type { AnalysisRow, AnalysisStore } from "../../storage/storage.ts";
import { causeTexts as texts } from "../../texts/causes.ts";
import { type Html, html } from "../../view/html.ts";
import { timeElement } from "../../view/units.ts";
import { hidden, postForm } from "../form-view.ts";
import type { Visit } from "../visit.ts";

export interface CauseDeps {
  readonly analyses: Pick<AnalysisStore, "latest">;
}

/** What is known of why an error happens; `latest` undefined: nobody asked. */
export interface CauseRead {
  readonly errorGroup: number;
  readonly latest: AnalysisRow | undefined;
}

/** Null where there is no error to analyse. */
export async function readCause(
  { analyses }: CauseDeps,
  { account }: Pick<Visit, "account">,
  errorGroup: number | null,
): Promise<CauseRead | null> {
  if (errorGroup === null) return null;
  return { errorGroup, latest: await analyses.latest(account.id, { errorGroupId: errorGroup, testFailureGroupId: null }) };
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
  return analysisPart(visit, stored, latest.createdAtMs);
}

function analysisPart(visit: Visit, { causes, model }: StoredAnalysis, atMs: number): Html {
  const at = timeElement(atMs);
  const items = causes.map(
    ({ text, confidence, evidence }) =>
      html`<li><p>${text} <span class="sure">${texts.confidences[confidence]}</span></p>${evidenceList(visit, evidence)}</li>`,
  );
  const hasModel = model !== null && model.because === null;
  return html`${causes.length === 0 ? html`<p class="box">${texts.none}</p>` : html`<ol class="causes">${items}</ol>`}
${model !== null && modelPart(visit, model)}
<p class="made">${hasModel ? texts.madeByBoth(at, model.name) : texts.madeByRules(at)}</p>`;
}

function modelPart(visit: Visit, { claims, dropped, because }: ModelWord): Html {
  if (because !== null) return html`<p class="made">${texts.modelSilent(because)}</p>`;
  const left = dropped > 0 && html`<p class="made">${texts.dropped(dropped)}</p>`;
  if (claims.length === 0) return html`<p class="made">${texts.modelNothing}</p>${left}`;
  return html`<h3>${texts.modelTitle}</h3><p class="made">${texts.modelHint}</p>
<ul class="causes">${claims.map(({ text, evidence }) => html`<li><p>${text}</p>${evidenceList(visit, evidence)}</li>`)}</ul>${left}`;
}

function evidenceList(visit: Visit, evidence: readonly { readonly says: string; readonly of: EvidenceOf }[]): Html {
  const items = evidence.map(({ says, of }) => {
    // The audit log is for some only.
    const path = of.kind === "audit-log" && !roleAllows(visit.role, "admin") ? null : evidencePath(of);
    const text = says.charAt(0).toUpperCase() + says.slice(1);
    return html`<li>${path === null ? text : html`<a href="${path}">${text}</a>`}</li>`;
  });
  return html`<ul aria-label="${texts.evidence}">${items}</ul>`;
}

function askForm(visit: Visit, { errorGroup, latest }: CauseRead, path: string): Html {
  const content = html`${hidden("group", errorGroupUuid(errorGroup))}${hidden("to", path)}<button class="quiet">${latest === undefined ? texts.ask : texts.askAgain}</button>`;
  return postForm("/alerts/causes/ask", visit.csrf, content);
}
