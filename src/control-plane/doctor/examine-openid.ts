import type { ProxySettings } from "#daemon/proxy.ts";
import { oneLine } from "#domain/alerting/plain-text.ts";
import { AppError } from "#domain/app-error.ts";
import type { OidcSettings } from "../console/sign-in/oidc-settings.ts";
import { createEgress } from "../outgoing/egress.ts";
import { createChannelHttp, type HttpAnswer } from "../outgoing/http-client.ts";
import { clockOf } from "./examine-clock.ts";
import type { Examined, Finding } from "./finding.ts";

const about = "OpenID";

/** Whether the provider shows its discovery document, and is who it should be. Nobody is signed in. */
export async function examineOpenid(oidc: OidcSettings | null, proxies: ProxySettings, signal: AbortSignal): Promise<Examined> {
  if (oidc === null) return { findings: [{ about, verdict: "ok", text: "no provider is set (OIDC_ISSUER)" }] };
  const url = new URL(`${oidc.issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`);
  try {
    const answer = await ask(url, proxies, signal);
    return { findings: [findingOf(oidc.issuer, answer)], clocks: clockOf("the OpenID provider's", answer.headers["date"]) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    const next = /CERT|certificate/i.test(error.message)
      ? "name its CA by NODE_EXTRA_CA_CERTS"
      : "check OIDC_ISSUER, the name servers, the firewall, and HTTPS_PROXY and NO_PROXY";
    return { findings: [{ about, verdict: "fail", text: `${url.href} cannot be reached (${error.message})`, next }] };
  }
}

/** One GET by the way that the control plane's own calls take. @throws {AppError} */
export async function ask(url: URL, proxies: ProxySettings, signal: AbortSignal): Promise<HttpAnswer> {
  const http = createChannelHttp({ egress: createEgress({ mode: "default", allowCidrs: [] }), proxies, nowMs: Date.now });
  try {
    return await http.send({ method: "GET", url, headers: {}, body: null }, signal);
  } finally {
    await http.close();
  }
}

function findingOf(issuer: string, { status, text }: HttpAnswer): Finding {
  if (status !== 200) {
    const next = "OIDC_ISSUER is the address before /.well-known/openid-configuration; open that in a browser";
    return { about, verdict: "fail", text: `the provider shows no discovery document (${status})`, next };
  }
  const named = issuerIn(text);
  if (named === null) {
    const next = "a login page or a proxy may answer in its place: open OIDC_ISSUER with /.well-known/openid-configuration in a browser";
    return { about, verdict: "fail", text: "what answers there is no discovery document", next };
  }
  if (named === issuer) return { about, verdict: "ok", text: `the provider ${issuer} shows its discovery document` };
  return {
    about,
    verdict: "fail",
    text: `the provider names itself ${oneLine(named, 200)}, and not ${issuer}: nobody can sign in so`,
    next: "set OIDC_ISSUER to what it names, to the last slash, if that is your provider",
  };
}

/** Of a document that may be cut off at its end. */
function issuerIn(text: string): string | null {
  const literal = /"issuer"\s*:\s*("(?:[^"\\]|\\.){1,2000}")/.exec(text)?.[1];
  try {
    return literal === undefined ? null : String(JSON.parse(literal));
  } catch {
    return null;
  }
}
