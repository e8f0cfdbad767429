import { X509Certificate } from "node:crypto";
import { validFromMs, validToMs } from "../net/certificate-dates.ts";
import { alpnIn, extensionsIn, readClientHello } from "../net/client-hello.ts";
import { Cursor } from "../net/cursor.ts";

const certificatesShown = 6;
const printableBytes = 120;

/**
 * Reads TLS as it goes over the wire, one direction of one connection. Feed it bytes as they come; it answers a line for each
 * record that is complete. Bytes that are no TLS are told as text, once. Knows no keys: what is encrypted stays so.
 */
export class TlsReader {
  readonly certificates: X509Certificate[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #messages: Buffer = Buffer.alloc(0);
  #isEncrypted = false;
  #isOther = false;

  /** There were bytes that are no TLS. */
  get isOther(): boolean {
    return this.#isOther;
  }

  read(bytes: Buffer): string[] {
    if (this.#isOther) return [];
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const lines: string[] = [];
    while (this.#rest.length > 0) {
      if (!isRecord(this.#rest)) {
        this.#isOther = true;
        return [...lines, `no TLS: ${printable(this.#rest)}`];
      }
      const length = this.#rest.length < 5 ? Number.POSITIVE_INFINITY : 5 + this.#rest.readUInt16BE(3);
      if (this.#rest.length < length) break;
      const [type, body] = [this.#rest.readUInt8(0), this.#rest.subarray(5, length)];
      this.#rest = this.#rest.subarray(length);
      lines.push(...this.#record(type, body));
    }
    return lines;
  }

  #record(type: number, body: Buffer): string[] {
    if (type === recordTypes.changeCipherSpec) {
      this.#isEncrypted = true;
      return ["ChangeCipherSpec"];
    }
    if (type === recordTypes.alert) return [body.length === 2 ? alert(body) : "encrypted alert"];
    if (type === recordTypes.handshake && !this.#isEncrypted) return this.#handshake(body);
    return [`encrypted record, ${body.length} bytes`];
  }

  /** Messages of a handshake may share a record, and may need several. */
  #handshake(body: Buffer): string[] {
    this.#messages = Buffer.concat([this.#messages, body]);
    const lines: string[] = [];
    while (this.#messages.length >= 4 && this.#messages.length >= 4 + this.#messages.readUIntBE(1, 3)) {
      const end = 4 + this.#messages.readUIntBE(1, 3);
      lines.push(this.#message(this.#messages.readUInt8(0), this.#messages.subarray(4, end)));
      this.#messages = this.#messages.subarray(end);
    }
    return lines;
  }

  #message(type: number, body: Buffer): string {
    try {
      if (type === 1) return clientHello(body);
      if (type === 2) return serverHello(body);
      if (type === 11) this.certificates.push(...certificatesIn(body));
    } catch {
      return `${messageNames[type] ?? `handshake message ${type}`} that cannot be read, ${body.length} bytes`;
    }
    return messageNames[type] ?? `handshake message ${type}`;
  }
}

/** Lines about a chain: who was certified, by whom, and from when to when. */
export function certificateLines(chain: readonly X509Certificate[]): string[] {
  return chain
    .slice(0, certificatesShown)
    .flatMap((certificate, index) => [
      `certificate ${index}: ${oneLine(certificate.subject)}`,
      `  issued by ${oneLine(certificate.issuer)}`,
      `  valid from ${instant(validFromMs(certificate))} until ${instant(validToMs(certificate))}`,
      ...(index === 0 && certificate.subjectAltName !== undefined ? [`  names ${certificate.subjectAltName.slice(0, 500)}`] : []),
    ]);
}

function instant(ms: number): string {
  return Number.isNaN(ms) ? "a date that cannot be read" : new Date(ms).toISOString();
}

/** Bytes as text that cannot do harm: controls and what is no ASCII are escaped. */
export function printable(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, printableBytes).toString("latin1")).replace(
    /[^ -~]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

const recordTypes = { changeCipherSpec: 20, alert: 21, handshake: 22 } as const;

/** Types 20 to 24, major version 3, at most 2^14 + 2048 bytes (RFC 5246 §6.2), as far as these bytes go. */
function isRecord(bytes: Buffer): boolean {
  const type = bytes.readUInt8(0);
  if (type < 20 || type > 24) return false;
  if (bytes.length > 1 && bytes.readUInt8(1) !== 3) return false;
  return bytes.length < 5 || bytes.readUInt16BE(3) <= 18_432;
}

function alert(body: Buffer): string {
  const [level = 0, code = 0] = body;
  return `Alert: ${level === 2 ? "fatal" : "warning"} ${alertNames[code] ?? "unknown"} (${code})`;
}

function clientHello(body: Buffer): string {
  const { versions, serverName, protocols, ciphers } = readClientHello(body);
  return [
    `ClientHello: ${versions.map(versionName).join(", ")}`,
    serverName === null ? "no server name" : `server name ${serverName}`,
    protocols === null ? "no ALPN" : `ALPN ${protocols.join(", ")}`,
    `${ciphers} ciphers`,
  ].join("; ");
}

function serverHello(body: Buffer): string {
  const hello = new Cursor(body);
  const version = hello.number(2);
  const isRetry = hello.bytes(32).equals(retryRandom);
  hello.vector(1);
  const cipher = hello.number(2);
  hello.number(1);
  const extensions = extensionsIn(hello);
  const chosen = extensions.get(43)?.readUInt16BE(0) ?? version;
  const protocols = extensions.get(16);
  return [
    `${isRetry ? "HelloRetryRequest" : "ServerHello"}: ${versionName(chosen)}`,
    `cipher ${cipherNames[cipher] ?? `0x${cipher.toString(16).padStart(4, "0")}`}`,
    ...(protocols === undefined ? [] : [`ALPN ${alpnIn(protocols).join(", ")}`]),
  ].join("; ");
}

function certificatesIn(body: Buffer): X509Certificate[] {
  const list = new Cursor(new Cursor(body).vector(3));
  const found: X509Certificate[] = [];
  while (!list.isAtEnd && found.length < certificatesShown) found.push(new X509Certificate(list.vector(3)));
  return found;
}

function versionName(version: number): string {
  return versionNames[version] ?? `0x${version.toString(16).padStart(4, "0")}`;
}

function oneLine(name: string | undefined): string {
  return (name ?? "nobody").replaceAll("\n", ", ").slice(0, 300);
}

/** A ServerHello with this random asks for another ClientHello (RFC 8446 §4.1.3). */
const retryRandom = Buffer.from("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c", "hex");

const versionNames: Readonly<Record<number, string>> = {
  0x0300: "SSL 3.0",
  0x0301: "TLS 1.0",
  0x0302: "TLS 1.1",
  0x0303: "TLS 1.2",
  0x0304: "TLS 1.3",
};

/** The ciphers that servers choose today; others are told by number. */
const cipherNames: Readonly<Record<number, string>> = {
  0x1301: "TLS_AES_128_GCM_SHA256",
  0x1302: "TLS_AES_256_GCM_SHA384",
  0x1303: "TLS_CHACHA20_POLY1305_SHA256",
  0xc02b: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
  0xc02c: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
  0xc02f: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
  0xc030: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
  0xcca8: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
  0xcca9: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
  0x009c: "TLS_RSA_WITH_AES_128_GCM_SHA256",
  0x009d: "TLS_RSA_WITH_AES_256_GCM_SHA384",
};

const messageNames: Readonly<Record<number, string>> = {
  0: "HelloRequest",
  1: "ClientHello",
  2: "ServerHello",
  4: "NewSessionTicket",
  8: "EncryptedExtensions",
  11: "Certificate",
  12: "ServerKeyExchange",
  13: "CertificateRequest",
  14: "ServerHelloDone",
  15: "CertificateVerify",
  16: "ClientKeyExchange",
  20: "Finished",
  22: "CertificateStatus",
  24: "KeyUpdate",
};

/** RFC 8446 §6, and those of TLS 1.2 that are gone from it. */
const alertNames: Readonly<Record<number, string>> = {
  0: "close_notify",
  10: "unexpected_message",
  20: "bad_record_mac",
  21: "decryption_failed",
  22: "record_overflow",
  30: "decompression_failure",
  40: "handshake_failure",
  42: "bad_certificate",
  43: "unsupported_certificate",
  44: "certificate_revoked",
  45: "certificate_expired",
  46: "certificate_unknown",
  47: "illegal_parameter",
  48: "unknown_ca",
  49: "access_denied",
  50: "decode_error",
  51: "decrypt_error",
  70: "protocol_version",
  71: "insufficient_security",
  80: "internal_error",
  86: "inappropriate_fallback",
  90: "user_canceled",
  100: "no_renegotiation",
  109: "missing_extension",
  110: "unsupported_extension",
  112: "unrecognized_name",
  113: "bad_certificate_status_response",
  115: "unknown_psk_identity",
  116: "certificate_required",
  120: "no_application_protocol",
};
