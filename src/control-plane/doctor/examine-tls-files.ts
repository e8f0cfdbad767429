import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { certificateLine } from "#daemon/certificate-line.ts";
import { ConfigError } from "#daemon/env.ts";
import type { ControlPlaneConfig } from "../config.ts";
import { readTls } from "../http/tls.ts";
import type { Examined, Finding } from "./finding.ts";

const about = "TLS files";

/** Whether certificate and key of the control plane's own port fit, and until when. */
export function examineTlsFiles({ tls, publicUrl }: Pick<ControlPlaneConfig, "tls" | "publicUrl">): Examined {
  if (tls === null)
    return { findings: [{ about, verdict: "ok", text: "none are set: PORT speaks plain HTTP, behind a proxy that speaks TLS" }] };
  try {
    return { findings: [findingOf(new X509Certificate(readTls(tls).cert), publicUrl)] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      findings: [{ about, verdict: "fail", text: error.message, next: "the control plane does not start until this is put right" }],
    };
  }
}

function findingOf(certificate: X509Certificate, publicUrl: string | null): Finding {
  const { text, endsSoon } = certificateLine(certificate, Date.now());
  const next = "renew it; the files are read again every 10 s";
  if (certificate.validToDate.getTime() < Date.now()) return { about, verdict: "fail", text, next };
  if (endsSoon) return { about, verdict: "warn", text, next };
  const host = publicUrl === null ? null : new URL(publicUrl).hostname.replace(/^\[|\]$/g, "");
  const isFor = host === null || (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
  if (isFor) return { about, verdict: "ok", text };
  const fit = `use a certificate for ${host}, unless a proxy in front speaks TLS for that name`;
  return { about, verdict: "warn", text: `${text}; it is not for ${host}, the host of PUBLIC_URL`, next: fit };
}
