import type { StatusPageService } from "#contract/status-pages/services.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { publishedTexts } from "../../texts/published.ts";
import { statusPageFormTexts as texts } from "../../texts/status-page-form.ts";
import { type Html, html } from "../../view/html.ts";
import { doneBox } from "../done-box.ts";
import { checkbox } from "../form-inputs.ts";
import { type FormProblems, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { shownVersion } from "../shown-version.ts";
import type { Visit } from "../visit.ts";
import { fieldSection } from "./page-field-view.ts";
import { addressOfStatusPage, type StatusPageRead } from "./page-words.ts";
import { cardSection } from "./status-page-card-view.ts";
import { type ColorName, colorField, colorNames, type Theme, themes } from "./status-page-colors.ts";
import type { StatusPageDraft } from "./status-page-draft.ts";
import { statusPageAbout, statusPageLook } from "./status-page-fields.ts";
import { statusPageFormStyle } from "./status-page-form-style.ts";

export interface StatusPageView {
  /** Null: it is yet to be made. */
  readonly page: StatusPageRead | null;
  readonly draft: StatusPageDraft;
  readonly services: readonly StatusPageService[];
  readonly done?: string | null;
  readonly problems?: FormProblems;
  readonly status?: number;
  readonly version?: string | undefined;
}

/** A status page to be made or changed. */
export function statusPageFormPage(visit: Visit, view: StatusPageView): FormAnswer {
  const { page, draft, services, done = null, problems = {}, status = 200 } = view;
  const title = page?.name ?? texts.new;
  const path = page === null ? "/pages/status" : `/pages/status/${page.id}`;
  const save = page === null ? texts.create : actionTexts.save;
  // The Enter key presses the first button of a form.
  const content = html`${shownVersion(view.version)}<button class="hidden" tabindex="-1" aria-hidden="true">${save}</button>
${fieldSection(statusPageAbout, draft.settings, problems)}
${cardSection({ cards: draft.cards, services, path, problems })}
${fieldSection(statusPageLook, draft.settings, problems)}
${colorTable(draft, problems)}
<div class="send"><button>${save}</button><a href="/pages">${actionTexts.cancel}</a></div>`;
  const body = html`<p class="crumbs"><a href="/pages">${publishedTexts.title}</a></p>
<h1>${title}</h1>
${page !== null && leads(page)}
${problemBox(problems[""])}
${doneBox(texts.done, done)}
${postForm(path, visit.csrf, content, "form")}`;
  return { ...consolePage(visit, { title, style: statusPageFormStyle, body }), status };
}

function leads({ id, url }: StatusPageRead): Html {
  return html`<p class="about lead"><a href="${addressOfStatusPage(url)}">${addressOfStatusPage(url)}</a><a href="/pages/status/${id}/subscribers">${publishedTexts.subscribers}</a><a href="/incidents">${texts.incidents}</a></p>`;
}

function colorTable({ hasColors, colors }: StatusPageDraft, problems: FormProblems): Html {
  const isWrong = colorNames.some((name) => themes.some((theme) => problems[colorField(theme, name)] !== undefined));
  const rows = colorNames.map(
    (name) =>
      html`<tr><th scope="row">${texts.colorNames[name]}</th>${themes.map(
        (theme) => html`<td>${colorInput(theme, name, colors[theme][name], problems)}</td>`,
      )}</tr>`,
  );
  return html`<details${(hasColors || isWrong) && html` open`}><summary>${texts.colors}</summary>
${checkbox({ name: "hasColors", label: texts.ownColors, isOn: hasColors })}
<table class="colors"><thead><tr><th scope="col">${texts.color}</th>${themes.map((theme) => html`<th scope="col">${texts[theme]}</th>`)}</tr></thead><tbody>${rows}</tbody></table></details>`;
}

function colorInput(theme: Theme, name: ColorName, color: string, problems: FormProblems): Html {
  const field = colorField(theme, name);
  const problem = problems[field];
  const label = texts.colorIn(texts.colorNames[name], texts[theme]);
  return html`<input type="color" name="${field}" value="${sixDigits(color)}" aria-label="${label}"${problem !== undefined && html` aria-invalid="true" aria-describedby="${field}-problem"`}>${problem !== undefined && html`<p class="problem" id="${field}-problem">${problem}</p>`}`;
}

/** Browsers take no colour of three digits. */
function sixDigits(color: string): string {
  return color.replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
}
