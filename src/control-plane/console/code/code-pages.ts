import { getCheckV1 } from "#contract/checks/operations.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { checkCodeTexts as texts } from "../../texts/check-code.ts";
import { html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { checkPageStyle } from "../check-style.ts";
import { part, verbatim } from "../facts.ts";
import { consolePage } from "../shell.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import type { CheckTexts } from "./check-texts.ts";
import { curlLine } from "./curl-line.ts";
import { ownClient } from "./own-client.ts";

export interface CodePageDeps {
  readonly checkTexts: CheckTexts;
  readonly publicUrl: () => string;
}

/** A check as configuration: what `outpost apply` and the REST API take. */
export function codePages(ask: Ask, deps: CodePageDeps): readonly ConsolePage[] {
  return [{ method: "GET", path: "/checks/{id}/code", access: "read", answer: (visit) => show(ask, deps, visit) }];
}

async function show(ask: Ask, { checkTexts, publicUrl }: CodePageDeps, visit: Visit): Promise<FormAnswer> {
  const id = visit.request.params["id"] ?? "";
  // As readers see it: nothing locked is in the text, whoever asks.
  const [check, { yaml, json }] = await Promise.all([
    ask(visit, getCheckV1, { params: { id } }),
    checkTexts(ownClient(ask, { ...visit, role: "READ_ONLY" }), id),
  ]);
  const { name } = check;
  const body = html`<p class="crumbs"><a href="/checks">${texts.checks}</a> / <a href="/checks/${check.id}">${name}</a></p>
<div class="head"><h1>${texts.title(name)}</h1></div>
<p class="about">${texts.withoutSecrets}</p>
${part(texts.yaml, html`<p class="hint">${texts.yamlHint}</p>`, verbatim(yaml, texts.asYaml))}
${part(texts.curl, html`<p class="hint">${texts.curlHint}</p>`, verbatim(curlLine(publicUrl(), json), texts.asCurl))}`;
  return consolePage(visit, { title: texts.title(name), style: checkPageStyle, body });
}
