import type { GrpcCheckResult, GrpcMetadataEntry } from "#contract/checks/grpc.ts";
import { grpcMethodName } from "#domain/grpc-request.ts";
import { resultSeenTexts } from "../../../texts/result-seen.ts";
import { type Html, html } from "../../../view/html.ts";
import { stateLabel } from "../../../view/state-label.ts";
import { factList, part, sizeText, verbatim } from "../../facts.ts";
import { table } from "../../table.ts";
import type { RunDetails } from "../check-type.ts";
import { connectionFacts } from "../shared/connection-facts.ts";
import { prettyJson } from "../shared/json-text.ts";

const texts = resultSeenTexts.call;

/** Larger ones are not searched once more for a page. */
const maxTextLength = 65_536;

export function grpcDetails(seen: GrpcCheckResult): RunDetails {
  const { timingPhases: phases } = seen;
  return { shown: () => callSeen(seen), tookMs: phases?.total ?? null, phases: phases ?? {}, facts: () => factsOf(seen), scripts: null };
}

function factsOf({ response }: GrpcCheckResult): ReturnType<RunDetails["facts"]> {
  if (response === null) return {};
  const { grpcStatusCode: statusCode, healthStatus, metadata, responseMessage, truncated } = response;
  const isWhole = !truncated && responseMessage.length <= maxTextLength;
  return { headers: valuesOf(metadata), text: () => (isWhole ? responseMessage : ""), grpc: { statusCode, healthStatus } };
}

/** Several values of a key stand in one. */
function valuesOf(metadata: readonly GrpcMetadataEntry[]): Readonly<Record<string, string>> {
  const ofKeys = Object.entries(Object.groupBy(metadata, ({ key }) => key));
  return Object.fromEntries(ofKeys.map(([key, entries = []]) => [key, entries.map(({ value }) => value).join(", ")]));
}

function callSeen({ request, response, connection }: GrpcCheckResult): Html {
  const { url, port, tls, mode, service, metadata, message } = request;
  return html`${part(
    resultSeenTexts.request,
    factList([
      [resultSeenTexts.target, html`<span class="address">${url}:${port}</span>`],
      [texts.method, html`<span class="address">${grpcMethodName(request)}</span>`],
      [texts.asked, mode === "HEALTH" && (service || texts.wholeServer)],
      [texts.tls, tls ? texts.overTls : texts.inTheClear],
      [texts.metadataSent, metadata.join(", ")],
    ]),
    verbatim(message ?? "", texts.messageSent),
  )}
${part(
  resultSeenTexts.response,
  factList([...(response === null ? [] : statusFacts(response)), ...connectionFacts(connection)]),
  metadataTable(response?.metadata ?? []),
  response === null ? html`` : messageText(response.responseMessage),
  methodList(response?.discoveredMethods ?? []),
)}`;
}

type Seen = NonNullable<GrpcCheckResult["response"]>;

function statusFacts(response: Seen): Parameters<typeof factList>[0] {
  const { grpcStatusCode, grpcStatusName, grpcStatusMessage, healthStatus, healthStatusLabel, messageBytes, truncated } = response;
  const health = healthStatus !== null && stateLabel(healthStatus === 1 ? "ok" : "bad", texts.numbered(healthStatusLabel, healthStatus));
  return [
    [resultSeenTexts.status, stateLabel(grpcStatusCode === 0 ? "ok" : "bad", texts.numbered(grpcStatusName, grpcStatusCode))],
    [texts.statusMessage, grpcStatusMessage],
    [texts.health, health],
    [resultSeenTexts.size, sizeText(messageBytes, truncated)],
  ];
}

function metadataTable(entries: readonly GrpcMetadataEntry[]): Html {
  if (entries.length === 0) return html``;
  const rows = entries.map(
    ({ key, value, trailer }) =>
      html`<tr><th scope="row">${key}</th><td class="free">${value}</td><td>${trailer ? texts.trailer : texts.header}</td></tr>`,
  );
  return html`<details><summary>${texts.counted(texts.metadata, entries.length)}</summary>${table(texts.columns, rows)}</details>`;
}

/** It came as protobuf: this is its JSON, with a member to a line. */
function messageText(message: string): Html {
  return verbatim(prettyJson(message) ?? message, texts.message);
}

function methodList(methods: readonly string[]): Html {
  if (methods.length === 0) return html``;
  const items = methods.map((method) => html`<li>${method}</li>`);
  return html`<details><summary>${texts.counted(texts.methods, methods.length)}</summary><ul>${items}</ul></details>`;
}
