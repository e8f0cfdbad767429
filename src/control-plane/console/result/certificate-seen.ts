import type { SslCertificate, SslCheckResult } from "#contract/checks/ssl.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { expiryText, instantFact, peerText } from "./connection-facts.ts";
import { type Fact, factList, part, verbatim } from "./facts.ts";

export function certificateSeen({ request, response, failureCategory }: SslCheckResult): Html {
  const failed: Fact = ["Failed by", failureCategory?.replaceAll("_", " ")];
  const asked = html`<details><summary>What was asked for</summary>${verbatim(JSON.stringify(request, null, 2), "What was asked for")}</details>`;
  if (response === null) return part("Certificate", factList([failed]), asked);
  const findings = (response.securityBaseline?.findings ?? []).map(
    ({ rule, passed, severity, message }) =>
      html`<li>${stateLabel(passed ? "ok" : severity === "fail" ? "bad" : "warn", message)} <span class="soft">${rule}</span></li>`,
  );
  return html`${part("Certificate", factList([failed, ...trustFacts(response), ...handshakeFacts(response)]), asked)}
${part("Chain as sent", html`<ol class="chain">${response.chain.map(certificate)}</ol>`)}
${findings.length === 0 ? html`` : part("Security baseline", html`<ul class="plain">${findings}</ul>`)}`;
}

type Seen = NonNullable<SslCheckResult["response"]>;

function trustFacts(response: Seen): readonly Fact[] {
  const { chainTrusted, chainTrustDetail, chainTrustReason, hostnameVerified, serverName, incompleteChain, missingIntermediate } = response;
  return [
    [
      "Chain",
      chainTrusted === true ? stateLabel("ok", "trusted") : stateLabel("bad", `not trusted: ${chainTrustDetail} (${chainTrustReason})`),
    ],
    ["Not sent", incompleteChain && stateLabel("warn", missingIntermediate === "" ? "an intermediate" : missingIntermediate)],
    ["Host name", hostnameVerified === true ? stateLabel("ok", `covers ${serverName}`) : stateLabel("bad", `does not cover ${serverName}`)],
    ["Expires", expiryText(response.daysUntilExpiry)],
    ["Intermediates", expiryText(response.intermediateDaysUntilExpiry)],
  ];
}

function handshakeFacts({
  protocol,
  cipherSuite,
  alpn,
  resolvedIp,
  port,
  ocspStapled,
  ocspStatus,
  sctCount,
  securityBaseline,
}: Seen): readonly Fact[] {
  return [
    ["Connection", `${protocol} ${cipherSuite ?? ""}${alpn === null ? "" : `, ${alpn}`}`],
    ["Address", peerText(resolvedIp, port)],
    ["OCSP", ocspStapled ? `stapled: ${ocspStatus}` : "not stapled"],
    ["In public logs", `${sctCount} signed ${sctCount === 1 ? "timestamp" : "timestamps"}`],
    ["Grade", securityBaseline && `${securityBaseline.grade} (${securityBaseline.score} of 100)`],
  ];
}

/** Names that a certificate covers: some have hundreds. */
const namesAtMost = 20;

function certificate(one: SslCertificate): Html {
  const names = one.subjectAlternativeNames;
  const more = names.length - namesAtMost;
  return html`<li><strong>${oneLine(one.subject)}</strong>${factList([
    ["Issued by", one.selfSigned ? "itself" : oneLine(one.issuer)],
    ["Covers", `${names.slice(0, namesAtMost).join(", ")}${more > 0 ? ` and ${more} more` : ""}`],
    ["Valid from", instantFact(one.validFrom)],
    ["Valid until", instantFact(one.validTo)],
    ["Expires", expiryText(one.daysUntilExpiry)],
    ["Key", `${one.keyType} ${one.keySizeBits} bits`],
    ["Signature", one.signatureAlgorithm],
    ["May issue", one.isCa && "yes: it is a CA's"],
    ["Serial number", html`<code>${one.serialNumber}</code>`],
    ["SHA-256", html`<code>${one.fingerprint256}</code>`],
  ])}</li>`;
}

function oneLine(name: string): string {
  return name.replaceAll("\n", ", ");
}
