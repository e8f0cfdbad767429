import { X509Certificate } from "node:crypto";
import type { ClientCertificate } from "#contract/client-certificates.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { dateText } from "../../pages/public/units.ts";
import { asksAgain } from "../asks-again.ts";
import { doneBox } from "../done-box.ts";
import { textArea } from "../form-inputs.ts";
import { type FormProblems, field, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";

export interface CertificatesView {
  readonly certificates: readonly ClientCertificate[];
  readonly nowMs: number;
  readonly done?: string | null;
  /** What was typed of a new one but its key, and what is wrong with it. */
  readonly draft?: { readonly host: string; readonly cert: string; readonly ca: string };
  readonly problems?: FormProblems;
  readonly status?: number;
}

const doneTexts: Readonly<Record<string, string>> = {
  created: "The certificate is stored; runs that start from now on show it.",
  deleted: "The certificate is deleted.",
};

export function certificatesPage(visit: Visit, view: CertificatesView): FormAnswer {
  const { certificates, nowMs, done = null, problems = {}, status = 200 } = view;
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`<h1>Client certificates</h1>
<p class="lead">What API checks show to hosts that ask for a certificate. An exact host wins over a wildcard, then the newest wins.</p>
${problemBox(problems[""])}
${doneBox(doneTexts, done)}
${certificates.length === 0 ? html`<p class="box">There is no client certificate yet.</p>` : html`<ul class="list">${certificates.map((one) => row(visit, one, mayWrite, nowMs))}</ul>`}
${mayWrite && html`<section class="more"><h2>Add a certificate</h2>${addForm(visit, view)}</section>`}`;
  return { ...consolePage(visit, { title: "Client certificates", style: tellStyle, body }), status };
}

function row(visit: Visit, { id, host, cert, ca }: ClientCertificate, mayWrite: boolean, nowMs: number): Html {
  const { subject, validToDate } = new X509Certificate(cert); // one that was no certificate was refused
  const name = subject?.replaceAll("\n", ", ") ?? "";
  const endMs = validToDate.getTime();
  const until = endMs < nowMs ? html`${stateLabel("warn", `expired on ${dateText(endMs)}`)}` : html`good until ${dateText(endMs)}`;
  return html`<li><div class="who"><strong>${host}</strong>${name !== "" && html`<span>${name}</span>`}<span>${until}${ca !== null && " · with own CA certificates"}</span></div>
<div class="does">${mayWrite && asksAgain(visit.csrf, `/certificates/${id}/delete`, `Delete the certificate for ${host}? Hosts that ask for one refuse checks from then on.`, "Delete", host)}</div></li>`;
}

function addForm(visit: Visit, { draft = { host: "", cert: "", ca: "" }, problems = {} }: CertificatesView): Html {
  const pem = { rows: 5, problems };
  const content = html`${field({ name: "host", label: "Host", value: draft.host, hint: "A name without port, an address, or *.example.com for the hosts directly below it.", autocomplete: "off", maxLength: 255, problems })}
${textArea({ ...pem, name: "cert", label: "Certificate (PEM)", value: draft.cert, hint: "With any intermediate ones after it.", maxLength: 65_536 })}
${textArea({ ...pem, name: "key", label: "Private key (PEM)", value: "", hint: "Stored sealed and never shown again.", maxLength: 32_768 })}
${field({ name: "passphrase", label: "Passphrase of the key (optional)", type: "password", autocomplete: "new-password", isOptional: true, maxLength: 1_024, problems })}
${textArea({ ...pem, rows: 3, name: "ca", label: "CA certificates (PEM, optional)", value: draft.ca, hint: "To trust beside the agent's own.", isOptional: true, maxLength: 262_144 })}
<div class="send"><button>Add the certificate</button></div>`;
  return postForm("/certificates", visit.csrf, content, "form");
}
