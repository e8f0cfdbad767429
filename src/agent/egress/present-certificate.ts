import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { TLSSocket } from "node:tls";
import { type ClientHello, readClientHello } from "../net/client-hello.ts";
import type { MirrorAuthority } from "../net/mirror-authority.ts";
import { ProbeError } from "../net/probe-error.ts";
import { chainError, identityError } from "../net/tls.ts";
import { type Network, shakeHands } from "./network.ts";

/** The two sockets of a tunnel: what one has to say is the other's. */
export interface TunnelEnds {
  readonly client: Socket;
  readonly target: Socket;
}

export interface Presenting {
  readonly host: string;
  readonly identityFor: (host: string) => SecureContext | null;
  readonly authority: MirrorAuthority;
  /** A script asks for the certificate, as it may have one of its own; a browser has none. */
  readonly isScript: boolean;
  /** The server's certificate is not trusted, or it ended the handshake. */
  readonly onProblem: (host: string, message: string) => void;
}

/** Among the protocols that a script's client offers (`playwright/inside/show-certificates.cjs`); no server sees it. */
export const scriptsWish = "outpost-client-certificate";

const ofHandshakes = 0x16;
const helloType = 1;
/** A whole record (RFC 8446 §5.1). */
const mostRecordBytes = 5 + 16_384;

/**
 * Where the host of a TLS connection has a client certificate: speaks TLS with the server, shows it the certificate, and speaks TLS with the client,
 * which is shown what the server's own certificate says. So nobody but this process has the key. Other tunnels stay as they are.
 *
 * @throws {ProbeError} ECLIENTCERT, EPROTO, ECONNRESET, ETIMEDOUT
 */
export async function presentCertificate(
  ends: TunnelEnds,
  presenting: Presenting,
  network: Network,
  signal: AbortSignal,
): Promise<TunnelEnds> {
  const { host, identityFor, isScript } = presenting;
  const begun = await beginningOf(ends);
  if (begun.length > 0) ends.client.unshift(begun);
  const hello = helloIn(begun);
  if (hello === null || (isScript && !hello.protocols?.includes(scriptsWish))) return ends;
  const name = hello.serverName ?? host;
  const context = identityFor(name);
  if (context === null) return ends;
  const offered = hello.protocols?.filter((protocol) => protocol !== scriptsWish) ?? [];
  const target = await shakeHands(ends.target, name, { context, alpn: offered }, network, signal);
  return { client: standIn(ends.client, target, name, presenting), target };
}

/** Speaks TLS with the client as the server did with us. @param name of the server */
function standIn(client: Socket, server: TLSSocket, name: string, { authority, isScript, onProblem }: Presenting): TLSSocket {
  const leaf = server.getPeerX509Certificate();
  if (leaf === undefined) throw new ProbeError("EPROTO", `${name} has no certificate`);
  const problem = chainError(server) ?? identityError(leaf, name);
  if (problem !== null) onProblem(name, problem);
  const { alpnProtocol } = server;
  return new TLSSocket(client, {
    isServer: true,
    secureContext: authority.contextFor(leaf, problem, !isScript),
    ...(typeof alpnProtocol === "string" && alpnProtocol !== "" && { ALPNProtocols: [alpnProtocol] }),
  });
}

/** What the client says first: a whole record where it speaks TLS. Nothing, where the server speaks first: then it is no TLS. */
function beginningOf({ client, target }: TunnelEnds): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  let begun: Buffer = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    begun = Buffer.concat([begun, chunk]);
    if (begun.length >= lengthOf(begun)) done();
  };
  const done = (): void => {
    client.off("data", onData).off("end", done).off("close", done).pause();
    target.off("readable", done).off("close", done);
    resolve(begun);
  };
  client.on("data", onData).once("end", done).once("close", done);
  target.once("readable", done).once("close", done);
  return promise;
}

/** Bytes to wait for: none where it is no handshake. */
function lengthOf(bytes: Buffer): number {
  if (bytes[0] !== ofHandshakes || (bytes.length > 1 && bytes[1] !== 3)) return 0;
  return bytes.length < 5 ? 5 : Math.min(mostRecordBytes, 5 + bytes.readUInt16BE(3));
}

function helloIn(bytes: Buffer): ClientHello | null {
  if (bytes.length < 9 || bytes[0] !== ofHandshakes || bytes[5] !== helloType) return null;
  try {
    return readClientHello(bytes.subarray(9, 9 + bytes.readUIntBE(6, 3)));
  } catch (error) {
    if (error instanceof RangeError) return null; // in several records: no client of ours does that
    throw error;
  }
}
