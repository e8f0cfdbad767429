import type { SnippetCreate } from "#contract/snippets.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { snippetTexts as texts } from "../../texts/snippets.ts";
import { html } from "../../view/html.ts";
import { textArea } from "../form-inputs.ts";
import { field, postForm, problemBox } from "../form-view.ts";
import type { KindFormView } from "../kind-pages.ts";
import { consolePage } from "../shell.ts";
import { shownVersion } from "../shown-version.ts";
import type { Visit } from "../visit.ts";
import { snippetStyle as style } from "./snippet-style.ts";

/** A snippet to be made, changed or, for those who may not, read. */
export function snippetPage(
  visit: Visit,
  { stored: snippet, draft, problems = {}, status = 200, version }: KindFormView<"snippet", SnippetCreate>,
): FormAnswer {
  const title = snippet?.name ?? texts.newSnippet;
  const rows = Math.min(40, Math.max(14, draft.script.split("\n").length + 2));
  const content = html`${shownVersion(version)}${field({ name: "name", label: texts.name, value: draft.name, hint: texts.nameHint, autocomplete: "off", maxLength: 255, isFirst: snippet === null, problems })}
${textArea({ name: "script", label: texts.code, value: draft.script, hint: texts.codeHint, rows, maxLength: 262_144, problems })}
<div class="send"><button>${snippet === null ? texts.create : actionTexts.save}</button><a href="/snippets">${actionTexts.cancel}</a></div>`;
  const body = html`<p class="crumbs"><a href="/snippets">${texts.title}</a></p>
<h1>${title}</h1>
${problemBox(problems[""])}
${
  roleAllows(visit.role, "write")
    ? postForm(snippet === null ? "/snippets" : `/snippets/${snippet.id}`, visit.csrf, content, "form")
    : html`<pre class="code" tabindex="0" role="region" aria-label="${texts.code}">${draft.script}</pre>`
}`;
  return { ...consolePage(visit, { title, style, body }), status };
}
