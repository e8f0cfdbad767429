import { randomInt } from "node:crypto";
import { ProbeError } from "../probe-error.ts";
import { exchangeOverConnection } from "./connected-exchange.ts";
import { decodeMessage, encodeQuery, isTruncated, type Message, type Query, type Question } from "./message.ts";
import { type DnsTransport, type NameServer, serverName } from "./name-server.ts";
import { MalformedMessage } from "./packet-reader.ts";
import { type AskContext, exchangeUdp } from "./udp-exchange.ts";

/** What one server answered. Times are milliseconds on the context's clock. */
export interface Reply {
  readonly message: Message;
  readonly server: NameServer;
  readonly protocolUsed: DnsTransport | "UDP>TCP";
  /** When the first question left, or its connection was begun. */
  readonly startedMs: number;
  readonly receivedMs: number;
  /** For connections and their TLS; 0 over UDP. */
  readonly connectionMs: number;
}

/** Servers that do not know EDNS, or not this version of it. */
const ednsRefusals: ReadonlySet<string> = new Set(["FORMERR", "NOTIMP", "BADVERS"]);

/**
 * Asks one server one question, with EDNS and, where it refuses that, once more without. An answer that does not fit
 * into UDP is asked for over TCP. Any response code is a reply.
 *
 * @throws {ProbeError} EBADNAME, ETIMEDOUT after `limitMs`, EDNSFORMAT, what connections and their TLS can come to
 * @throws the signal's reason
 */
export async function askServer(server: NameServer, question: Question, limitMs: number, context: AskContext): Promise<Reply> {
  const endsAtMs = context.monotonicMs() + limitMs;
  const withEdns = await exchangeWith(server, question, true, limitMs, context);
  if (!ednsRefusals.has(withEdns.message.responseCode)) return withEdns;
  const plain = await exchangeWith(server, question, false, endsAtMs - context.monotonicMs(), context);
  return { ...plain, startedMs: withEdns.startedMs, connectionMs: withEdns.connectionMs + plain.connectionMs };
}

async function exchangeWith(
  server: NameServer,
  question: Question,
  withEdns: boolean,
  limitMs: number,
  context: AskContext,
): Promise<Reply> {
  // A cache between us and a server would not share answers to questions with different ids (RFC 8484 §4.1).
  const query = encodeQuery(question, server.transport === "DOH" ? 0 : randomInt(0x1_0000), withEdns);
  if (server.transport !== "UDP") return overConnection(server, query, limitMs, context, server.transport);
  const endsAtMs = context.monotonicMs() + limitMs;
  const { packet, sentMs, receivedMs } = await exchangeUdp(server.address, server.port, query, limitMs, context);
  if (!isTruncated(packet)) {
    return { message: decoded(packet, server), server, protocolUsed: "UDP", startedMs: sentMs, receivedMs, connectionMs: 0 };
  }
  const overTcp = await overConnection({ ...server, transport: "TCP" }, query, endsAtMs - context.monotonicMs(), context, "UDP>TCP");
  return { ...overTcp, startedMs: sentMs };
}

async function overConnection(
  server: NameServer,
  query: Query,
  limitMs: number,
  context: AskContext,
  protocolUsed: Reply["protocolUsed"],
): Promise<Reply> {
  const { packet, startedMs, receivedMs, connectionMs } = await exchangeOverConnection(server, query, limitMs, context);
  return { message: decoded(packet, server), server, protocolUsed, startedMs, receivedMs, connectionMs };
}

function decoded(packet: Buffer, server: NameServer): Message {
  try {
    return decodeMessage(packet);
  } catch (cause) {
    if (!(cause instanceof MalformedMessage)) throw cause;
    throw new ProbeError("EDNSFORMAT", `${serverName(server)} sent a DNS message that cannot be read: ${cause.message}`, { cause });
  }
}
