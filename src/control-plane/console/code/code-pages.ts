import { getCheckV1 } from "#contract/checks/operations.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { html } from "../../pages/html.ts";
import type { Ask } from "../ask.ts";
import { checkPageStyle } from "../check-style.ts";
import { part, verbatim } from "../result/facts.ts";
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
  const body = html`<p class="crumbs"><a href="/checks">Checks</a> / <a href="/checks/${check.id}">${name}</a></p>
<div class="head"><h1>${name} as code</h1></div>
<p class="about">Secret and locked values are not in it.</p>
${part(
  "YAML",
  html`<p class="hint">For <code>outpost apply</code>. What it names (a group, channels, snippets) must be there; secrets come from the environment.</p>`,
  verbatim(yaml, "The check as YAML"),
)}
${part(
  "curl",
  html`<p class="hint">Makes the same check once more in this account, with a key of READ_WRITE in <code>OUTPOST_API_KEY</code>. Put secrets in the place of asterisks.</p>`,
  verbatim(curlLine(publicUrl(), json), "The check as a curl command"),
)}`;
  return consolePage(visit, { title: `${name} as code`, style: checkPageStyle, body });
}
