import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, type SecureContext } from "node:tls";
import { ConfigError } from "#daemon/env.ts";
import type { Logger } from "#daemon/logger.ts";
import { createTrust, type Trust } from "../net/tls.ts";
import type { AgentClock } from "./clock.ts";

/** How long the CAs are taken as unchanged without a look at them (ms). */
const trustedForMs = 60_000;
/** A public bundle has 0.2 MB; what is larger is something else (a device, a disk image). */
const fileLimitBytes = 10 * 1024 * 1024;
const pemBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const derSequence = 0x30;

/** What is trusted beside and with the usual CAs, as it is now. Asking costs a comparison of two times. */
export interface TrustStore {
  /** For probes. */
  readonly trust: Trust;
  /** The CAs of NODE_EXTRA_CA_CERTS as PEM; the same array until they change. */
  readonly extraCas: () => readonly string[];
}

/**
 * Trust by NODE_EXTRA_CA_CERTS (a file or a folder), read again within a minute after it changed, when somebody asks. What cannot be
 * read any more keeps what was read last, and is warned of once.
 *
 * @throws {ConfigError} when there is no certificate to be read at the start
 */
export function createTrustStore(
  path: string | null,
  log: Pick<Logger, "info" | "warn">,
  clock: Pick<AgentClock, "monotonicMs">,
): TrustStore {
  if (path === null) {
    let usual: SecureContext | undefined; // made for the first TLS check: it holds some MB
    const none: readonly string[] = [];
    return { trust: () => (usual ??= createTrust([])), extraCas: () => none };
  }
  let version = versionOf(path);
  let current = contextOf(readExtraCas(path));
  let lookAgainAtMs = clock.monotonicMs() + trustedForMs;

  function latest(): Trusted {
    const nowMs = clock.monotonicMs();
    if (nowMs < lookAgainAtMs) return current;
    lookAgainAtMs = nowMs + trustedForMs;
    const found = versionOf(path ?? "");
    if (found === version) return current;
    version = found;
    try {
      current = contextOf(readExtraCas(path));
      log.info({ certificates: current.extraCas.length }, "reloaded certificate authorities");
    } catch (error) {
      log.warn(
        { reason: error instanceof Error ? error.message : String(error) },
        "could not reload certificate authorities; keeping the previous ones",
      );
    }
    return current;
  }
  return { trust: () => latest().context, extraCas: () => latest().extraCas };
}

interface Trusted {
  readonly extraCas: readonly string[];
  readonly context: SecureContext;
}

function contextOf(extraCas: readonly string[]): Trusted {
  return { extraCas, context: createTrust(extraCas, usualCas()) };
}

/** Node.js' own CAs, without those that it read of NODE_EXTRA_CA_CERTS at its start: they may have been withdrawn since. */
export function usualCas(): readonly string[] {
  const atStart = new Set(getCACertificates("extra"));
  if (atStart.size === 0) return getCACertificates("default");
  const bundled = new Set(getCACertificates("bundled"));
  return getCACertificates("default").filter((pem) => !atStart.has(pem) || bundled.has(pem));
}

/**
 * The CAs of NODE_EXTRA_CA_CERTS, as PEM blocks: trusted by management traffic and by checks. Node.js reads the variable itself, but
 * only a PEM file and only at start; this takes a folder (`.pem`, `.crt`, `.cer`) and single DER certificates too.
 *
 * @throws {ConfigError} when there is no certificate to be read, or a broken one
 */
export function readExtraCas(path: string | null): readonly string[] {
  if (path === null) return [];
  const certificates = [...new Set(filesOf(path).flatMap(readCertificates))];
  if (certificates.length === 0) throw new ConfigError(`NODE_EXTRA_CA_CERTS: no certificate found in ${path}`);
  return certificates;
}

/** @throws {ConfigError} */
function filesOf(path: string): string[] {
  return explained(path, () => {
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path).filter((name) => /\.(pem|crt|cer)$/i.test(name));
    return names.toSorted().map((name) => join(path, name));
  });
}

/** @throws {ConfigError} */
function readCertificates(path: string): string[] {
  return explained(path, () => {
    const { size } = statSync(path);
    if (size > fileLimitBytes || !statSync(path).isFile()) throw new ConfigError(`NODE_EXTRA_CA_CERTS: ${path} is no file of certificates`);
    const bytes = readFileSync(path);
    if (bytes[0] === derSequence) return [new X509Certificate(bytes).toString()];
    const text = bytes.toString("latin1");
    const blocks = text.match(pemBlock) ?? [];
    const begun = text.split("-----BEGIN CERTIFICATE-----").length - 1;
    if (begun !== blocks.length) throw new ConfigError(`NODE_EXTRA_CA_CERTS: ${path} ends within a certificate`);
    for (const block of blocks) void new X509Certificate(block);
    return blocks;
  });
}

function explained<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    const isSystem = cause instanceof Error && "syscall" in cause;
    throw new ConfigError(`NODE_EXTRA_CA_CERTS: ${path} ${isSystem ? "cannot be read" : "holds a broken certificate"}`, { cause });
  }
}

/** Changes with every file's content, place and rights; empty when there is nothing. */
function versionOf(path: string): string {
  try {
    const stats = filesOf(path).map((file) => statSync(file, { bigint: true }));
    return stats.map(({ ino, size, ctimeNs }) => `${ino}:${size}:${ctimeNs}`).join(" ");
  } catch {
    return "";
  }
}
