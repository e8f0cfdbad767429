import { X509Certificate } from "node:crypto";
import type { ClientCertificate } from "#contract/client-certificates.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { certificateTexts as texts } from "../../texts/certificates.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { dateText } from "../../view/units.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { doneBox } from "../done-box.ts";
import { textArea } from "../form-inputs.ts";
import { type FormProblems, field, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";

/** What was typed of a new one but its key. */
export interface CertificateDraft {
  readonly host: string;
  readonly cert: string;
  readonly ca: string;
}

export interface CertificatesView {
  readonly certificates: readonly ClientCertificate[];
  readonly nowMs: number;
  readonly done?: string | null;
  /** What was typed of a new one, and what is wrong with it. */
  readonly draft?: CertificateDraft;
  readonly problems?: FormProblems;
  readonly status?: number;
}

export function certificatesPage(visit: Visit, view: CertificatesView): FormAnswer {
  const { certificates, nowMs, done = null, problems = {}, status = 200 } = view;
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${problemBox(problems[""])}
${doneBox(texts.done, done)}
${certificates.length === 0 ? html`<p class="box">${texts.none}</p>` : html`<ul class="list">${certificates.map((one) => row(visit, one, mayWrite, nowMs))}</ul>`}
${mayWrite && html`<section class="more"><h2>${texts.addHeading}</h2>${addForm(visit, view)}</section>`}`;
  return { ...consolePage(visit, { title: texts.title, style: tellStyle, body }), status };
}

function row(visit: Visit, { id, host, cert, ca }: ClientCertificate, mayWrite: boolean, nowMs: number): Html {
  const { subject, validToDate } = new X509Certificate(cert); // one that was no certificate was refused
  const name = subject?.replaceAll("\n", ", ") ?? "";
  const endMs = validToDate.getTime();
  const until = endMs < nowMs ? stateLabel("warn", texts.expiredOn(dateText(endMs))) : texts.goodUntil(dateText(endMs));
  return html`<li><div class="who"><strong>${host}</strong>${name !== "" && html`<span>${name}</span>`}<span>${until}${ca !== null && html` · ${texts.withOwnCas}`}</span></div>
<div class="does">${mayWrite && confirmedAction(visit.csrf, `/certificates/${id}/delete`, texts.deleteQuestion(host), actionTexts.delete, host)}</div></li>`;
}

function addForm(visit: Visit, { draft = { host: "", cert: "", ca: "" }, problems = {} }: CertificatesView): Html {
  const pem = { rows: 5, problems };
  const content = html`${field({ name: "host", label: texts.host, value: draft.host, hint: texts.hostHint, autocomplete: "off", maxLength: 255, problems })}
${textArea({ ...pem, name: "cert", label: texts.certificate, value: draft.cert, hint: texts.certificateHint, maxLength: 65_536 })}
${textArea({ ...pem, name: "key", label: texts.key, value: "", hint: texts.keyHint, maxLength: 32_768 })}
${field({ name: "passphrase", label: texts.passphrase, type: "password", autocomplete: "new-password", isOptional: true, maxLength: 1_024, problems })}
${textArea({ ...pem, rows: 3, name: "ca", label: texts.cas, value: draft.ca, hint: texts.casHint, isOptional: true, maxLength: 262_144 })}
<div class="send"><button>${texts.addIt}</button></div>`;
  return postForm("/certificates", visit.csrf, content, "form");
}
