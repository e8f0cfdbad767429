import { createClientCertificate, deleteClientCertificate, listClientCertificates } from "#contract/client-certificates.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { typed } from "../people/person-fields.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { type CertificatesView, certificatesPage } from "./certificates-page.ts";

const access = "write";

/** What checks show to hosts that ask for a certificate. */
export function certificatePages(ask: Ask, nowMs: () => number): readonly ConsolePage[] {
  const list = async (visit: Visit, view: Omit<CertificatesView, "certificates" | "nowMs">): Promise<FormAnswer> =>
    certificatesPage(visit, { certificates: await ask(visit, listClientCertificates), nowMs: nowMs(), ...view });

  async function create(visit: Visit): Promise<FormAnswer> {
    const { form } = visit.request;
    const pem = (name: string): string => typed(form, name).replaceAll("\r\n", "\n");
    const shown = { host: typed(form, "host"), cert: pem("cert"), ca: pem("ca") };
    const body = { ...shown, ca: shown.ca || null, key: pem("key"), passphrase: form.get("passphrase") || null };
    try {
      await ask(visit, createClientCertificate, { body });
      return redirect("/certificates?done=created");
    } catch (error) {
      return list(visit, { draft: shown, problems: refusedFields(error, ["host", "cert", "ca", "key", "passphrase"]), status: 400 });
    }
  }

  async function remove(visit: Visit): Promise<FormAnswer> {
    await ask(visit, deleteClientCertificate, { params: { id: visit.request.params["id"] ?? "" } });
    return redirect("/certificates?done=deleted");
  }

  return [
    { method: "GET", path: "/certificates", access: "read", answer: (visit) => list(visit, { done: visit.request.query.get("done") }) },
    { method: "POST", path: "/certificates", access, answer: create },
    { method: "POST", path: "/certificates/{id}/delete", access, answer: remove },
  ];
}
