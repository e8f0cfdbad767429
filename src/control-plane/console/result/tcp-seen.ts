import type { TcpCheckResult } from "#contract/checks/tcp.ts";
import { type Html, html } from "../../pages/html.ts";
import { connectionFacts, peerText } from "./connection-facts.ts";
import { bytesText, factList, part, verbatim } from "./facts.ts";
import { noText } from "./http-seen.ts";

export function tcpSeen({ request, response, connection }: TcpCheckResult): Html {
  const { hostname, port, data, expect, ipFamily, tls, startTls } = request;
  const size = response && `${bytesText(response.bytesReceived)}${response.truncated ? ", more than is stored here" : ""}`;
  return html`${part(
    "Request",
    factList([
      ["Target", `${peerText(hostname, port)}, ${ipFamily}`],
      ["TLS", startTls === null ? tls && "from the first byte" : `by STARTTLS of ${startTls}`],
      ["Waited for", expect],
    ]),
    verbatim(data ?? "", "What was sent"),
  )}
${part(
  "Response",
  factList([["Received", size], ["Ended by", response?.endedBy.replaceAll("_", " ")], ...connectionFacts(connection)]),
  response?.dataEncoding === "base64" ? noText(response.data, "answer") : verbatim(response?.data ?? "", "What the target sent"),
)}`;
}
