import type { CheckResult } from "#contract/check-results.ts";
import type { ConnectionFacts } from "#contract/checks/connection.ts";
import type { SslCertificate } from "#contract/checks/ssl.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { durationText } from "../../pages/public/units.ts";
import { type Fact, factList, headerTable, part, verbatim } from "./facts.ts";

/* What an attempt sent and what it saw, by the type of its check. */

export function seen(result: CheckResult): Html {
  const { apiCheckResult, tcpCheckResult, dnsCheckResult, icmpCheckResult, sslCheckResult } = result;
  if (apiCheckResult !== null) return http(apiCheckResult);
  if (tcpCheckResult !== null) return tcp(tcpCheckResult);
  if (dnsCheckResult !== null) return dns(dnsCheckResult);
  if (icmpCheckResult !== null) return icmp(icmpCheckResult);
  return sslCheckResult === null ? html`` : ssl(sslCheckResult);
}

function http({ request, response, redirects, connection }: NonNullable<CheckResult["apiCheckResult"]>): Html {
  const redirected = redirects.map(({ status, location }) => html`<li><strong>${status}</strong> ${location}</li>`);
  const status = response === null ? null : html`<strong>${response.status}</strong> ${response.statusText}`;
  const size =
    response === null
      ? null
      : `${response.bodyBytes.toLocaleString("en-US")} bytes${response.truncated ? ", more than is stored here" : ""}`;
  return html`${part(
    "Request",
    factList([["Sent", html`<strong>${request.method}</strong> <span class="address">${request.url}</span>`]]),
    headerTable("Headers", request.headers),
    verbatim(request.data, "Body of the request"),
  )}
${part(
  "Response",
  redirected.length === 0 ? html`` : html`<ol class="redirects" aria-label="Redirects">${redirected}</ol>`,
  factList([["Status", status], ["Size", size], ...connectionFacts(connection)]),
  headerTable("Headers", response?.headers ?? {}),
  response?.bodyEncoding === "base64"
    ? html`<p class="soft">The body is no text.</p>`
    : verbatim(response?.body ?? "", "Body of the response"),
)}`;
}

function tcp({ request, response, connection }: NonNullable<CheckResult["tcpCheckResult"]>): Html {
  const { hostname, port, data, expect } = request;
  return html`${part(
    "Request",
    factList([
      ["Target", `${hostname}:${port}`],
      ["Sent", data],
      ["Waited for", expect],
    ]),
  )}
${part(
  "Response",
  factList([
    ["Received", response && `${response.bytesReceived.toLocaleString("en-US")} bytes`],
    ["Ended by", response?.endedBy.replaceAll("_", " ")],
    ...connectionFacts(connection),
  ]),
  response?.dataEncoding === "base64"
    ? html`<p class="soft">The answer is no text.</p>`
    : verbatim(response?.data ?? "", "What the target sent"),
)}`;
}

function dns({ request, response }: NonNullable<CheckResult["dnsCheckResult"]>): Html {
  const tried = (response?.tried ?? []).map(({ server, error }) => html`<li>${server}: ${error}</li>`);
  return html`${part(
    "Question",
    factList([
      ["Name", request.query],
      ["Type", request.recordType],
      ["Name server", request.nameServer ?? "of the agent's machine"],
    ]),
  )}
${part(
  "Answer",
  factList([
    ["Status", response?.responseCode],
    ["Server", response && `${response.server}, ${response.protocolUsed}`],
    ["Did not answer", tried.length > 0 && html`<ul>${tried}</ul>`],
  ]),
  verbatim(response?.text.trim() ?? "", "The answer as dig prints it"),
)}`;
}

function icmp({ request, response }: NonNullable<CheckResult["icmpCheckResult"]>): Html {
  const ms = (value: number | null | undefined): string | null => (value === null || value === undefined ? null : durationText(value));
  const pings = (response?.pingResults ?? []).map(
    ({ success, rtt, ttl }, index) =>
      html`<tr><td>${index + 1}</td><td>${success && rtt !== null ? durationText(rtt) : stateLabel("bad", "lost")}</td><td>${ttl ?? "–"}</td></tr>`,
  );
  return part(
    "Pings",
    factList([
      ["Target", `${request.hostname}${response === null ? "" : ` (${response.resolvedIp})`}`],
      ["Loss", response && `${response.packetLoss} %: ${response.packetsReceived} of ${response.packetsSent} came back`],
      ["Average", ms(response?.latency.avg)],
      ["Least", ms(response?.latency.min)],
      ["Most", ms(response?.latency.max)],
    ]),
    pings.length === 0
      ? html``
      : html`<details><summary>Each of them</summary><table class="numbers"><thead><tr><th scope="col">Number</th><th scope="col">Round trip</th><th scope="col">TTL</th></tr></thead><tbody>${pings}</tbody></table></details>`,
  );
}

function ssl({ response }: NonNullable<CheckResult["sslCheckResult"]>): Html {
  if (response === null) return html``;
  const { chainTrusted, chainTrustDetail, hostnameVerified, securityBaseline, ocspStapled, ocspStatus } = response;
  const findings = (securityBaseline?.findings ?? []).map(
    ({ passed, severity, message }) => html`<li>${stateLabel(passed ? "ok" : severity === "fail" ? "bad" : "warn", message)}</li>`,
  );
  return html`${part(
    "Certificate",
    factList([
      ["Chain", chainTrusted === true ? stateLabel("ok", "trusted") : stateLabel("bad", `not trusted: ${chainTrustDetail}`)],
      [
        "Host name",
        hostnameVerified === true
          ? stateLabel("ok", `covers ${response.serverName}`)
          : stateLabel("bad", `does not cover ${response.serverName}`),
      ],
      ["Expires", expiry(response.daysUntilExpiry)],
      ["Connection", `${response.protocol} ${response.cipherSuite ?? ""}`],
      ["Address", `${response.resolvedIp}:${response.port}`],
      ["OCSP", ocspStapled ? `stapled: ${ocspStatus}` : "not stapled"],
      ["Grade", securityBaseline && `${securityBaseline.grade} (${securityBaseline.score} of 100)`],
    ]),
  )}
${part("Chain as sent", html`<ol class="chain">${response.chain.map(certificate)}</ol>`)}
${findings.length === 0 ? html`` : part("Security baseline", html`<ul class="plain">${findings}</ul>`)}`;
}

function certificate({ subject, issuer, daysUntilExpiry, keyType, keySizeBits, signatureAlgorithm, fingerprint256 }: SslCertificate): Html {
  return html`<li><strong>${oneLine(subject)}</strong>${factList([
    ["Issued by", oneLine(issuer)],
    ["Expires", expiry(daysUntilExpiry)],
    ["Key", `${keyType} ${keySizeBits} bits`],
    ["Signature", signatureAlgorithm],
    ["SHA-256", html`<code>${fingerprint256}</code>`],
  ])}</li>`;
}

function oneLine(name: string): string {
  return name.replaceAll("\n", ", ");
}

function expiry(days: number | null | undefined): string | null {
  if (days === null || days === undefined) return null;
  return days < 0 ? `expired ${-days} days ago` : `in ${days} days`;
}

function connectionFacts(connection: ConnectionFacts | null): readonly Fact[] {
  if (connection === null) return [];
  const { remoteAddress, remotePort, tls } = connection;
  const peer = remoteAddress.includes(":") ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
  if (tls === null) return [["Connected to", peer]];
  return [
    ["Connected to", peer],
    ["TLS", `${tls.protocol} ${tls.cipher}`],
    ["Certificate", tls.authorized ? stateLabel("ok", "trusted") : stateLabel("bad", tls.trustError ?? "not trusted")],
    ["Expires", expiry(tls.daysRemaining)],
  ];
}
