import type { DnsAnswer, DnsCheckResult, DnsRecord, DnsRequest } from "#contract/checks/dns.ts";
import { answerText } from "../../net/dns/answer-text.ts";
import type { Reply } from "../../net/dns/ask.ts";
import type { Tried } from "../../net/dns/ask-in-turn.ts";
import { isSet, type Message, type ResourceRecord } from "../../net/dns/message.ts";
import { serverName } from "../../net/dns/name-server.ts";
import { typeName } from "../../net/dns/registry.ts";
import type { Observation, ProbeFailure } from "../check-runner.ts";
import { toMicro } from "../phase.ts";

export interface DnsAttempt {
  readonly request: DnsRequest;
  /** When the first server was turned to; before that its own name was resolved. */
  readonly startedMs: number;
}

/** The observation of an attempt that got an answer, of any code. */
export function answered({ request, startedMs }: DnsAttempt, reply: Reply, tried: readonly Tried[]): Observation<"DNS"> {
  const { message, receivedMs, connectionMs } = reply;
  const total = toMicro(receivedMs - startedMs);
  const connection = toMicro(connectionMs);
  const answer = answerObject(message);
  const text = answerText(message.answers);
  return {
    startedMs,
    stoppedMs: receivedMs,
    responseTimeMs: total,
    statusCode: null,
    metrics: { total },
    failure: null,
    facts: {
      statusCode: null,
      responseTimeMs: total,
      headers: {},
      text: () => text,
      json: () => answer,
      responseCode: message.responseCode,
    },
    result: {
      request: requestPart(request),
      response: {
        responseCode: message.responseCode,
        answer,
        text,
        server: serverName(reply.server),
        protocolUsed: reply.protocolUsed,
        bytes: message.bytes,
        edns: ednsPart(message),
        tried: tried.map((entry) => ({ server: serverName(entry.server), error: entry.code })),
        timingPhases: { connection, query: toMicro(total - connection), total },
      },
      assertions: null,
      requestError: null,
    },
  };
}

/** The observation of an attempt that got none. */
export function failed({ request, startedMs }: DnsAttempt, failure: ProbeFailure, stoppedMs: number): Observation<"DNS"> {
  const responseTimeMs = stoppedMs - startedMs;
  return {
    startedMs,
    stoppedMs,
    responseTimeMs,
    statusCode: null,
    metrics: { total: null },
    failure,
    facts: { statusCode: null, responseTimeMs, headers: {}, text: () => "", responseCode: null },
    result: { request: requestPart(request), response: null, assertions: null, requestError: `${failure.code}: ${failure.message}` },
  };
}

function requestPart({ query, recordType, nameServer, port, protocol }: DnsRequest): DnsCheckResult["request"] {
  return { query, recordType, nameServer: nameServer ? withoutCredentials(nameServer) : null, port: port ?? null, protocol };
}

/** They are of no use here, and a result must not show them. By text, because it need not parse. */
function withoutCredentials(nameServer: string): string {
  return nameServer.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, "$1");
}

/** The JSON answer object (behaviour 2.4). */
function answerObject(message: Message): DnsAnswer {
  return {
    Status: message.code,
    TC: isSet(message, "TC"),
    RD: isSet(message, "RD"),
    RA: isSet(message, "RA"),
    AD: isSet(message, "AD"),
    CD: isSet(message, "CD"),
    AA: isSet(message, "AA"),
    Question: message.questions.map(({ name, type }) => ({ name, type: typeName(type) })),
    Answer: message.answers.map(jsonRecord),
    Authority: message.authorities.map(jsonRecord),
    Additional: message.additionals.map(jsonRecord),
  };
}

function jsonRecord({ name, type, ttl, data }: ResourceRecord): DnsRecord {
  return { name, type: typeName(type), TTL: ttl, data };
}

function ednsPart({ edns }: Message): NonNullable<DnsCheckResult["response"]>["edns"] {
  if (edns === null) return null;
  return { version: edns.version, udpPayloadSize: edns.udpPayloadSize, do: edns.do, options: [...edns.options] };
}
