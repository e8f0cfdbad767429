import { getCheckResult } from "#contract/check-results.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { shareTexts as texts } from "../../texts/share.ts";
import { type Html, html } from "../../view/html.ts";
import { momentElement } from "../../view/units.ts";
import type { Ask } from "../ask.ts";
import { postForm, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { sharedPath, shareTimes, shareToken } from "./share-links.ts";

export interface SharePageDeps {
  readonly hashOf: (text: string) => string;
  readonly publicUrl: () => string;
  readonly nowMs: () => number;
}

/** Makes a link to a run for people without an account. It opens more than the run's page does to nobody, so it asks for the right to write. */
export function sharePages(ask: Ask, deps: SharePageDeps): readonly ConsolePage[] {
  return [
    {
      method: "POST",
      path: "/checks/{checkId}/results/{checkResultId}/share",
      access: "write",
      answer: (visit) => share(ask, deps, visit),
    },
  ];
}

async function share(ask: Ask, { hashOf, publicUrl, nowMs }: SharePageDeps, visit: Visit): Promise<FormAnswer> {
  const { checkId = "", checkResultId = "" } = visit.request.params;
  const { id } = await ask(visit, getCheckResult, { params: { checkId, checkResultId } });
  const lasts = (Object.keys(shareTimes) as (keyof typeof shareTimes)[]).find((one) => one === visit.request.form.get("lasts")) ?? "1d";
  const untilMs = nowMs() + shareTimes[lasts];
  await visit.audit("shareCheckResult", id, [lasts]);
  const token = shareToken(hashOf, { accountId: visit.account.id, checkId, resultId: id, untilMs });
  const link = `${publicUrl().replace(/\/+$/, "")}${sharedPath}/${token}`;
  const body = html`<h1>${texts.made}</h1>
<p class="lead">${texts.until(momentElement(untilMs))}</p>
<p class="field"><label for="link">${texts.link}</label><input id="link" value="${link}" readonly></p>
<p><a href="/checks/${checkId}/results/${id}">${texts.back}</a></p>`;
  return consolePage(visit, { title: texts.made, body });
}

/** In the head of a run's page. */
export function shareForm(csrf: string, checkId: string, resultId: string): Html {
  const times = Object.entries(texts.times);
  const content = html`<p>${texts.about}</p>${select({ name: "lasts", label: texts.lasts, value: "1d", options: times })}<button>${texts.make}</button>`;
  return html`<details class="asks share"><summary>${texts.share}</summary><div>${postForm(`/checks/${checkId}/results/${resultId}/share`, csrf, content)}</div></details>`;
}
