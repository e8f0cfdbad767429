import type { TcpCheckResult } from "#contract/checks/tcp.ts";
import { resultSeenTexts } from "../../../texts/result-seen.ts";
import { type Html, html } from "../../../view/html.ts";
import { factList, noText, part, sizeText, verbatim } from "../../facts.ts";
import type { RunDetails } from "../check-type.ts";
import { connectionFacts, peerText } from "../shared/connection-facts.ts";

const texts = resultSeenTexts.tcp;

export function tcpDetails(seen: TcpCheckResult): RunDetails {
  const { timingPhases: phases } = seen.response ?? {};
  return { shown: () => tcpSeen(seen), tookMs: phases?.total ?? null, phases: phases ?? {}, facts: () => ({}), scripts: null };
}

function tcpSeen({ request, response, connection }: TcpCheckResult): Html {
  const { hostname, port, data, expect, ipFamily, tls, startTls } = request;
  const size = response && sizeText(response.bytesReceived, response.truncated);
  return html`${part(
    resultSeenTexts.request,
    factList([
      [resultSeenTexts.target, resultSeenTexts.connection.by(peerText(hostname, port), ipFamily)],
      [texts.tls, startTls === null ? tls && texts.fromFirstByte : texts.byStartTls(startTls)],
      [texts.waitedFor, expect],
    ]),
    verbatim(data ?? "", texts.sent),
  )}
${part(
  resultSeenTexts.response,
  factList([[texts.received, size], [texts.endedBy, response?.endedBy.replaceAll("_", " ")], ...connectionFacts(connection)]),
  response?.dataEncoding === "base64" ? noText(response.data, texts.answer) : verbatim(response?.data ?? "", texts.answered),
)}`;
}
