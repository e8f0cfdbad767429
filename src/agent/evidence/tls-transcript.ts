import type { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { withDeadline } from "#daemon/deadline.ts";
import { sleep } from "#daemon/sleep.ts";
import { peerName } from "../net/connection.ts";
import { codeOf } from "../net/probe-error.ts";
import type { Trust } from "../net/tls.ts";
import { certificateLines, TlsReader } from "./tls-records.ts";

export interface TlsTarget {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

const limitMs = 1_500;
/** TLS 1.3 lets a server refuse a client after the client's handshake is complete: such an alert must still be seen. */
const lateAlertMs = 300;
const linesShown = 60;
/** More than any handshake; then the peer is only talking. */
const receivedLimitBytes = 1 << 17;

/**
 * Makes one handshake more and tells what goes over the wire, record by record. Sends nothing after it. Takes 1.5 s at most;
 * the caller has asked the egress policy for the address.
 */
export async function tlsTranscript(target: TlsTarget, trust: Trust, signal: AbortSignal): Promise<string> {
  const notes = new Notes();
  const raw = connect({ host: target.address, port: target.port, autoSelectFamily: false, noDelay: true });
  try {
    const result = await withDeadline(signal, limitMs, "TLS transcript", (limit) => handshake(raw, target, trust, notes, limit));
    return notes.text(target, result);
  } finally {
    raw.destroy();
  }
}

/** How it went, in one sentence. */
async function handshake(raw: Socket, { host }: TlsTarget, trust: Trust, notes: Notes, signal: AbortSignal): Promise<string> {
  raw.on("error", () => undefined); // `once` tells it where it counts
  try {
    await once(raw, "connect", { signal });
  } catch (error) {
    return `no TLS was spoken: ${signal.aborted ? "the connection was not made in time" : `the connection failed (${codeOf(error)})`}`;
  }
  notes.add("", "connected");
  const name = host.replace(/\.$/, "");
  const tls = connectTls({
    socket: new Tap(raw, notes),
    secureContext: trust(),
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
    host: name,
    ...(isIP(name) === 0 && { servername: name }),
  });
  tls.on("error", () => undefined);
  try {
    await once(tls, "secureConnect", { signal });
    notes.chain = chainOf(tls);
    return [complete(tls), ...(await lateRefusal(tls, signal))].join("; ");
  } catch (error) {
    if (signal.aborted) return "the handshake did not end in time";
    return notes.sawOther ? "the peer does not speak TLS on this port" : `the handshake failed: ${reasonOf(error)}`;
  } finally {
    tls.destroy();
  }
}

function complete(tls: TLSSocket): string {
  const trusted = tls.authorized ? "the certificate is trusted" : `the certificate is not trusted (${String(tls.authorizationError)})`;
  return `the handshake is complete: ${tls.getProtocol() ?? "TLS"}, ${tls.getCipher().standardName}; ${trusted}`;
}

async function lateRefusal(tls: TLSSocket, signal: AbortSignal): Promise<string[]> {
  const over = new AbortController();
  const ended = once(tls, "end", { signal: over.signal }).then(
    () => ["then the peer closed the connection"],
    (error: unknown) => (over.signal.aborted ? [] : [`then it failed: ${reasonOf(error)}`]),
  );
  tls.resume();
  const waited = sleep(lateAlertMs, AbortSignal.any([signal, over.signal])).then(() => []);
  const refusal = await Promise.race([ended, waited]);
  over.abort();
  return refusal;
}

/** As the peer's certificates name each other, leaf first. */
function chainOf(tls: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next = tls.getPeerX509Certificate();
  while (next !== undefined && chain.every(({ fingerprint256 }) => fingerprint256 !== next?.fingerprint256)) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  // Only a real reset comes from a system call.
  if (code === "ECONNRESET")
    return error instanceof Error && "syscall" in error && error.syscall ? "reset by the peer" : "the peer closed the connection";
  return code.startsWith("ERR_SSL_") ? code.slice(8).replaceAll("_", " ").toLowerCase() : code || "unknown";
}

/** What was seen, with times since the beginning. */
class Notes {
  chain: readonly X509Certificate[] = [];
  readonly #startMs = performance.now();
  readonly #lines: string[] = [];
  readonly #readers = { "->": new TlsReader(), "<-": new TlsReader() } as const;

  /** The peer sent what is no TLS. */
  get sawOther(): boolean {
    return this.#readers["<-"].isOther;
  }

  add(direction: "->" | "<-" | "", what: string): void {
    const ms = (performance.now() - this.#startMs).toFixed(1).padStart(7);
    this.#lines.push([`${ms} ms`, direction, what].filter((text) => text !== "").join("  "));
  }

  bytes(direction: "->" | "<-", bytes: Buffer): void {
    for (const line of this.#readers[direction].read(bytes)) this.add(direction, line);
  }

  text({ host, address, port }: TlsTarget, result: string): string {
    const offered = this.#readers["<-"].certificates;
    const more = this.#lines.length - linesShown;
    return [
      `TLS handshake with ${peerName(address, port)}${isIP(host) === 0 ? ` for ${host}` : ""}, made after the failure`,
      ...this.#lines.slice(0, linesShown),
      ...(more > 0 ? [`and ${more} lines more`] : []),
      ...certificateLines(offered.length > 0 ? offered : this.chain),
      "",
      result,
      "",
    ].join("\n");
  }
}

/** A socket for TLS that shows every byte on its way to and from the real one. */
class Tap extends Duplex {
  readonly #raw: Socket;
  readonly #notes: Notes;

  constructor(raw: Socket, notes: Notes) {
    super();
    this.#raw = raw;
    this.#notes = notes;
    raw.on("data", (bytes: Buffer) => this.#receive(bytes));
    raw.once("end", () => {
      notes.add("<-", "end of the stream");
      this.push(null);
    });
    raw.once("error", (error) => {
      notes.add("<-", codeOf(error) === "ECONNRESET" ? "reset" : codeOf(error));
      this.destroy(error);
    });
  }

  #receive(bytes: Buffer): void {
    this.#notes.bytes("<-", bytes);
    if (this.#raw.bytesRead > receivedLimitBytes) this.#raw.destroy(new Error("the peer sent too much"));
    else if (!this.push(bytes)) this.#raw.pause();
  }

  override _read(): void {
    this.#raw.resume();
  }

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#notes.bytes("->", bytes);
    this.#raw.write(bytes, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#raw.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#raw.destroy();
    done(error);
  }
}
