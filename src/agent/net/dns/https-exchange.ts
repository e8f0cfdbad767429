import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { peerName } from "../connection.ts";
import { exchange } from "../http-exchange.ts";
import type { Inbox } from "../inbox.ts";
import { ProbeError, socketFailure } from "../probe-error.ts";
import { answersQuery, type Query } from "./message.ts";
import type { EncryptedServer } from "./name-server.ts";
import type { StreamContext } from "./stream-exchange.ts";
import type { Received } from "./udp-exchange.ts";

type HttpsServer = Extract<EncryptedServer, { transport: "DOH" }>;

const mediaType = "application/dns-message";
/** The longest message there is. */
const maxMessageBytes = 65_535;

/**
 * One question by POST over a secured connection (RFC 8484), with the HTTP version that the handshake chose. The
 * connection is destroyed at the end.
 *
 * @throws {ProbeError} EDNSHTTP when the status is not 200, EDNSFORMAT when the body is no DNS message or answers something else
 * @throws {ProbeError} what an HTTP exchange can come to
 */
export async function exchangeHttps(
  socket: Socket,
  inbox: Inbox,
  server: HttpsServer,
  query: Query,
  context: StreamContext,
): Promise<Received> {
  const isHttp2 = socket instanceof TLSSocket && socket.alpnProtocol === "h2";
  const received = isHttp2 ? await overHttp2(socket, server, query, context) : await overHttp1(socket, inbox, server, query, context);
  if (answersQuery(received.packet, query)) return received;
  throw new ProbeError("EDNSFORMAT", `${context.peer} sent something that does not answer the question`);
}

async function overHttp1(socket: Socket, inbox: Inbox, server: HttpsServer, query: Query, context: StreamContext): Promise<Received> {
  const headers = [
    ["Host", authority(server)],
    ["User-Agent", server.userAgent],
    ["Accept", mediaType],
    ["Content-Type", mediaType],
    ["Content-Length", String(query.packet.length)],
    ["Connection", "close"],
  ];
  const wire = { method: "POST", path: server.path, headers: headers.flat(), body: query.packet };
  const sentMs = context.monotonicMs();
  const trace = { responseMs: null, endMs: null, statusCode: null };
  const { peer, watch, monotonicMs } = context;
  const answer = await exchange(
    socket,
    inbox,
    wire,
    {
      peer,
      watch,
      monotonicMs,
      wantsBody: (status, { "content-type": type, "content-length": length }) => isMessage(status, type, length),
    },
    trace,
  );
  if (answer.body === null) throw noMessage(peer, answer.status);
  return { packet: answer.body.bytes.subarray(0, maxMessageBytes + 1), sentMs, receivedMs: trace.endMs ?? monotonicMs() };
}

function overHttp2(socket: TLSSocket, server: HttpsServer, query: Query, context: StreamContext): Promise<Received> {
  const { peer, watch, monotonicMs } = context;
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const session: ClientHttp2Session = connectHttp2(`https://${authority(server)}`, {
    createConnection: () => socket,
    settings: { enablePush: false },
    maxHeaderListPairs: 100,
  });
  let isOver = false;
  const end = (settle: () => void): void => {
    if (isOver) return;
    isOver = true;
    watch.leave();
    session.destroy();
    socket.destroy();
    settle();
  };
  const fail = (reason: unknown): void => end(() => reject(reason));
  const failBy = (cause: unknown): void => fail(http2Failure(cause, peer));
  watch.enter(`answer of ${peer}`, context.limitMs, fail);
  session.on("error", failBy);
  session.on("goaway", (code) => code !== 0 && failBy(new Error(`GOAWAY ${code}`)));
  const onClose = (): void => fail(new ProbeError("ECONNRESET", `${peer} closed the connection before it answered`));
  session.on("close", onClose);
  const sentMs = monotonicMs();
  const request = session.request({
    ":method": "POST",
    ":path": server.path,
    "user-agent": server.userAgent,
    accept: mediaType,
    "content-type": mediaType,
    "content-length": query.packet.length,
  });
  const parts: Buffer[] = [];
  let length = 0;
  let hasHead = false;
  request.on("error", failBy);
  request.on("response", (headers: IncomingHttpHeaders & { readonly ":status"?: number }) => {
    hasHead = true;
    const { ":status": status = 0, "content-type": type, "content-length": declared } = headers;
    if (!isMessage(status, type, declared)) fail(noMessage(peer, status));
  });
  request.on("data", (part: Buffer) => {
    parts.push(part);
    length += part.length;
    if (length > maxMessageBytes) fail(noMessage(peer, 200));
  });
  request.on("end", () => {
    const receivedMs = monotonicMs();
    // A connection that breaks ends the stream, too.
    if (!hasHead || request.aborted) return onClose();
    end(() => resolve({ packet: Buffer.concat(parts), sentMs, receivedMs }));
  });
  request.end(query.packet);
  return promise;
}

/** As `Host` and `:authority` want it: without the port where it is HTTPS' own. */
function authority({ host, port }: HttpsServer): string {
  return port === 443 ? peerName(host, port).replace(/:443$/, "") : peerName(host, port);
}

function isMessage(status: number, type: string | undefined, length: string | undefined): boolean {
  return status === 200 && type?.toLowerCase().split(";")[0]?.trim() === mediaType && Number(length ?? 0) <= maxMessageBytes;
}

function noMessage(peer: string, status: number): ProbeError {
  if (status !== 200)
    return new ProbeError("EDNSHTTP", `${peer} answered with the HTTP status ${status} where DNS over HTTPS has 200; is the path right?`);
  return new ProbeError("EDNSFORMAT", `${peer} sent no DNS message (${mediaType}); is the path right?`);
}

function http2Failure(cause: unknown, peer: string): ProbeError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code.startsWith("ERR_HTTP2") || code === "")
    return new ProbeError("EPROTO", `${peer} broke the rules of HTTP/2 (${code || String(cause)})`, { cause });
  return socketFailure(cause, peer, "before it answered");
}
