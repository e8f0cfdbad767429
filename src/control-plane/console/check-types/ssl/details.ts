import type { SslCertificate, SslCheckResult } from "#contract/checks/ssl.ts";
import { resultSeenTexts } from "../../../texts/result-seen.ts";
import { type Html, html } from "../../../view/html.ts";
import { stateLabel } from "../../../view/state-label.ts";
import { type Fact, factList, part, verbatim } from "../../facts.ts";
import type { RunDetails } from "../check-type.ts";
import { expiryText, instantFact, peerText } from "../shared/connection-facts.ts";

const texts = resultSeenTexts.certificate;
const connectionTexts = resultSeenTexts.connection;

export function sslDetails(seen: SslCheckResult): RunDetails {
  const phases = seen.response?.timingPhases ?? {};
  return { shown: () => certificateSeen(seen), tookMs: seen.handshakeTimeMs ?? null, phases, facts: () => tlsFacts(seen), scripts: null };
}

function tlsFacts({ response, tlsVersion, baselineVerdict, baselineGrade }: SslCheckResult): ReturnType<RunDetails["facts"]> {
  if (response === null) return {};
  const { sctCount, intermediateDaysUntilExpiry, securityBaseline, certificate } = response;
  const baselineScore = securityBaseline?.score;
  const fields = {
    CERTIFICATE: { ...certificate, sctCount, intermediateDaysUntilExpiry },
    CONNECTION: { ...response, tlsVersion, baselineVerdict, baselineGrade, baselineScore },
  };
  return { json: () => response, fields };
}

function certificateSeen({ request, response, failureCategory }: SslCheckResult): Html {
  const failed: Fact = [texts.failedBy, failureCategory?.replaceAll("_", " ")];
  const asked = html`<details><summary>${texts.asked}</summary>${verbatim(JSON.stringify(request, null, 2), texts.asked)}</details>`;
  if (response === null) return part(texts.title, factList([failed]), asked);
  const findings = (response.securityBaseline?.findings ?? []).map(
    ({ rule, passed, severity, message }) =>
      html`<li>${stateLabel(passed ? "ok" : severity === "fail" ? "bad" : "warn", message)} <span class="soft">${rule}</span></li>`,
  );
  return html`${part(texts.title, factList([failed, ...trustFacts(response), ...handshakeFacts(response)]), asked)}
${part(texts.chainSent, html`<ol class="chain">${response.chain.map(certificate)}</ol>`)}
${findings.length === 0 ? html`` : part(texts.baseline, html`<ul class="plain">${findings}</ul>`)}`;
}

type Seen = NonNullable<SslCheckResult["response"]>;

function trustFacts(response: Seen): readonly Fact[] {
  const { chainTrusted, chainTrustDetail, chainTrustReason, hostnameVerified, serverName, incompleteChain, missingIntermediate } = response;
  return [
    [
      texts.chain,
      chainTrusted === true
        ? stateLabel("ok", connectionTexts.trusted)
        : stateLabel("bad", texts.distrusted(chainTrustDetail ?? "", chainTrustReason ?? "")),
    ],
    [texts.notSent, incompleteChain && stateLabel("warn", missingIntermediate === "" ? texts.anIntermediate : missingIntermediate)],
    [
      texts.hostName,
      hostnameVerified === true ? stateLabel("ok", texts.covers(serverName)) : stateLabel("bad", texts.doesNotCover(serverName)),
    ],
    [connectionTexts.expires, expiryText(response.daysUntilExpiry)],
    [texts.intermediates, expiryText(response.intermediateDaysUntilExpiry)],
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
    [texts.connection, `${protocol} ${cipherSuite ?? ""}${alpn === null ? "" : `, ${alpn}`}`],
    [texts.address, peerText(resolvedIp, port)],
    [texts.ocsp, ocspStapled ? texts.stapled(ocspStatus) : texts.notStapled],
    [texts.inLogs, texts.timestamps(sctCount)],
    [texts.grade, securityBaseline && texts.graded(securityBaseline.grade, securityBaseline.score)],
  ];
}

/** Names that a certificate covers: some have hundreds. */
const namesAtMost = 20;

function certificate(one: SslCertificate): Html {
  const names = one.subjectAlternativeNames;
  const more = names.length - namesAtMost;
  const shown = names.slice(0, namesAtMost).join(", ");
  return html`<li><strong>${oneLine(one.subject)}</strong>${factList([
    [texts.issuedBy, one.selfSigned ? texts.itself : oneLine(one.issuer)],
    [texts.coversNames, more > 0 ? texts.andMore(shown, more) : shown],
    [texts.validFrom, instantFact(one.validFrom)],
    [connectionTexts.validUntil, instantFact(one.validTo)],
    [connectionTexts.expires, expiryText(one.daysUntilExpiry)],
    [texts.key, texts.keyOf(one.keyType, one.keySizeBits)],
    [texts.signature, one.signatureAlgorithm],
    [texts.mayIssue, one.isCa && texts.isAuthority],
    [texts.serialNumber, html`<code>${one.serialNumber}</code>`],
    [connectionTexts.sha256, html`<code>${one.fingerprint256}</code>`],
  ])}</li>`;
}

function oneLine(name: string): string {
  return name.replaceAll("\n", ", ");
}
