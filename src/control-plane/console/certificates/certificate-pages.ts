import { listClientCertificates } from "#contract/client-certificates.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { kindPages } from "../kind-pages.ts";
import { typed } from "../people/person-fields.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { type CertificateDraft, type CertificatesView, certificatesPage } from "./certificates-page.ts";

/** What checks show to hosts that ask for a certificate. */
export function certificatePages(ask: Ask, nowMs: () => number): readonly ConsolePage[] {
  const list = async (visit: Visit, view: Omit<CertificatesView, "certificates" | "nowMs">): Promise<FormAnswer> =>
    certificatesPage(visit, { certificates: await ask(visit, listClientCertificates), nowMs: nowMs(), ...view });
  return [
    { method: "GET", path: "/certificates", access: "read", answer: (visit) => list(visit, { done: visit.request.query.get("done") }) },
    ...kindPages<"client-certificate", CertificateDraft>(ask, {
      kind: "client-certificate",
      path: "/certificates",
      after: (done) => `/certificates?done=${done}`,
      page: list,
      typed: (form) => ({ host: typed(form, "host"), cert: pem(form, "cert"), ca: pem(form, "ca") }),
      body: (draft, _stored, form) => ({
        ...draft,
        ca: draft.ca || null,
        key: pem(form, "key"),
        passphrase: form.get("passphrase") || null,
      }),
      fields: () => ["host", "cert", "ca", "key", "passphrase"],
    }),
  ];
}

function pem(form: URLSearchParams, name: string): string {
  return typed(form, name).replaceAll("\r\n", "\n");
}
