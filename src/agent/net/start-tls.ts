import { isIPv6, type Socket } from "node:net";
import type { StartTls } from "#contract/checks/connection.ts";
import type { StepContext } from "./connection.ts";
import { DerError, derChildren, derContent, derHeader, derTags, readDer } from "./der.ts";
import { withoutZone } from "./ip-address.ts";
import { ClearTalk } from "./start-tls-talk.ts";

/**
 * The part in the clear of protocols that turn to TLS on request; `secure` or `handshake` is next, in the same turn. The
 * socket must be plain, without an inbox. On failure it is destroyed. `peer` is for messages: `10.0.0.1:25`.
 *
 * @throws {ProbeError} ESTARTTLS when the peer does not offer it, refuses it or speaks another protocol; EINJECTION when
 *   bytes followed the go-ahead; ECONNRESET, ETIMEDOUT
 * @throws the signal's reason
 */
export async function startTls(socket: Socket, protocol: StartTls, peer: string, context: StepContext): Promise<void> {
  const talk = new ClearTalk(socket, `STARTTLS (${protocol}) with ${peer}`, peer, context);
  try {
    await dialogues[protocol](talk);
    talk.done();
  } catch (error) {
    talk.abandon();
    throw error;
  }
}

const dialogues: { readonly [P in StartTls]: (talk: ClearTalk) => Promise<void> } = { smtp, imap, pop3, ldap, postgres };

/** RFC 3207. The name after EHLO is our address (RFC 5321 §4.1.4): probes have no name that others could look up. */
async function smtp(talk: ClearTalk): Promise<void> {
  const greeting = await smtpReply(talk);
  if (greeting.code !== "220") throw talk.failure("did not greet as an SMTP server does", greeting.said);
  const address = talk.localAddress;
  talk.say(`EHLO [${isIPv6(address) ? `IPv6:${withoutZone(address)}` : address}]\r\n`);
  const hello = await smtpReply(talk);
  if (hello.code !== "250") throw talk.failure("refused EHLO", hello.said);
  if (!hello.lines.some((line) => /^starttls\b/i.test(line)))
    throw talk.failure("does not offer STARTTLS", hello.lines.slice(1).join(", "));
  talk.say("STARTTLS\r\n");
  const reply = await smtpReply(talk);
  if (reply.code !== "220") throw talk.failure("refused STARTTLS", reply.said);
}

/** All lines of one reply: `250-first`, `250 last` (RFC 5321 §4.2.1). */
async function smtpReply(talk: ClearTalk): Promise<{ readonly code: string; readonly lines: readonly string[]; readonly said: string }> {
  const lines: string[] = [];
  for (;;) {
    const said = await talk.line();
    const [, code, separator, text = ""] = /^(\d{3})(?:([ -])(.*))?$/s.exec(said) ?? [];
    if (code === undefined) throw talk.failure("does not speak SMTP", said);
    lines.push(text);
    if (separator !== "-") return { code, lines, said };
  }
}

/** RFC 9051 §6.2.1. Untagged answers may stand before the tagged one. */
async function imap(talk: ClearTalk): Promise<void> {
  const greeting = await talk.line();
  // After PREAUTH there is no way to TLS any more (§7.1.4).
  if (!/^\* OK\b/i.test(greeting)) throw talk.failure("did not greet as an IMAP server does that awaits a log-in", greeting);
  talk.say("a1 STARTTLS\r\n");
  for (;;) {
    const line = await talk.line();
    if (/^a1 OK\b/i.test(line)) return;
    if (!line.startsWith("* ") || /^\* BYE\b/i.test(line)) throw talk.failure("refused STARTTLS", line);
  }
}

/** RFC 2595 §4. */
async function pop3(talk: ClearTalk): Promise<void> {
  const greeting = await talk.line();
  if (!greeting.startsWith("+OK")) throw talk.failure("did not greet as a POP3 server does", greeting);
  talk.say("STLS\r\n");
  const reply = await talk.line();
  if (!reply.startsWith("+OK")) throw talk.failure("refused STLS", reply);
}

const startTlsOid = "1.3.6.1.4.1.1466.20037";
const extendedResponse = 0x78;
const ldapResults: Readonly<Record<number, string>> = {
  1: "operationsError",
  2: "protocolError",
  10: "referral",
  12: "unavailableCriticalExtension",
  52: "unavailable",
  53: "unwillingToPerform",
};

/** RFC 4511 §4.14: an extended request, and a response whose result is 0. */
async function ldap(talk: ClearTalk): Promise<void> {
  const oid = Buffer.from(startTlsOid);
  const request = Buffer.concat([Buffer.from([0x77, oid.length + 2, 0x80, oid.length]), oid]);
  talk.say(Buffer.concat([Buffer.from([derTags.sequence, request.length + 3, derTags.integer, 1, 1]), request]));
  const message = await ldapMessage(talk);
  const result = ldapResult(message);
  if (result === null) throw talk.failure("does not speak LDAP", message.toString("latin1"));
  const { code, diagnostic } = result;
  if (code !== 0) throw talk.failure(`refused StartTLS with ${ldapResults[code] ?? `result ${code}`}`, diagnostic);
}

/** Result code and diagnostic message of an extended response; null when it is none. */
function ldapResult(message: Buffer): { readonly code: number; readonly diagnostic: string } | null {
  try {
    const [, operation] = derChildren(readDer(message).content);
    const [result, , diagnostic] = derChildren(derContent(operation, extendedResponse));
    const code = derContent(result, derTags.enumerated)[0];
    return code === undefined ? null : { code, diagnostic: derContent(diagnostic, derTags.octetString).toString("latin1") };
  } catch (error) {
    if (error instanceof DerError) return null;
    throw error;
  }
}

async function ldapMessage(talk: ClearTalk): Promise<Buffer> {
  const start = await talk.bytes(2);
  if (start[0] !== derTags.sequence) throw talk.failure("does not speak LDAP", start.toString("latin1"));
  try {
    const longForm = (start[1] ?? 0) > 0x80 ? await talk.bytes(Math.min(4, (start[1] ?? 0) & 0x7f)) : Buffer.alloc(0);
    const header = Buffer.concat([start, longForm]);
    const { headerLength = 0, totalLength = 0 } = derHeader(header) ?? {};
    return Buffer.concat([header, await talk.bytes(totalLength - headerLength)]);
  } catch (error) {
    if (error instanceof DerError) throw talk.failure(`does not speak LDAP (${error.message})`);
    throw error;
  }
}

const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** PostgreSQL's SSLRequest: one byte answers it, `S` or `N`; `E` begins an error message of old or full servers. */
async function postgres(talk: ClearTalk): Promise<void> {
  talk.say(sslRequest);
  const answer = (await talk.bytes(1)).toString("latin1");
  if (answer === "S") return;
  if (answer === "N") throw talk.failure("does not offer TLS (SSLRequest)", answer);
  throw talk.failure(answer === "E" ? "answered SSLRequest with an error" : "does not speak PostgreSQL's protocol", answer);
}
