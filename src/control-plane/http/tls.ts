import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { createSecureContext, Server as TlsServer } from "node:tls";
import { ConfigError } from "#daemon/env.ts";
import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import { readSecretFile } from "#daemon/secret-file.ts";
import type { Service } from "#daemon/service.ts";

/** Paths of PEM files: the certificate with its intermediates, and its key. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
}

/** What the files hold, in PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** How often the files are read again: certificates are replaced days before they end, and Kubernetes swaps a folder of links, which no watch follows. */
const lookMs = 10_000;

/** @throws {ConfigError} naming the variable, the file and what is wrong with it */
export function readTls({ certificate, key }: TlsFiles): TlsPair {
  const cert = certificateIn(certificate);
  const pair = { cert, key: readSecretFile("TLS_KEY_FILE", key).reveal() };
  try {
    createSecureContext({ cert });
  } catch (cause) {
    throw new ConfigError(`TLS_CERT_FILE: ${certificate} is no certificate in PEM (${codeOf(cause)})`, { cause });
  }
  try {
    createSecureContext(pair);
  } catch (cause) {
    throw new ConfigError(`TLS_KEY_FILE: ${key} is no unencrypted key in PEM of the certificate in TLS_CERT_FILE (${codeOf(cause)})`, {
      cause,
    });
  }
  return pair;
}

function certificateIn(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new ConfigError(`TLS_CERT_FILE: ${path} cannot be read (${codeOf(cause)}); check the path, and that this user may read it`, {
      cause,
    });
  }
}

/** New connections get what the files hold now; a pair that does not fit is told, and the one before stays in use. */
export function followTls(server: Server, files: TlsFiles, known: TlsPair, log: Pick<Logger, "info" | "error">): Service {
  let used = known;
  let told = "";

  async function turn(): Promise<number> {
    const now = readTls(files);
    told = "";
    if (now.cert !== used.cert || now.key !== used.key) {
      tlsServer(server).setSecureContext(now);
      used = now;
      log.info({ certificate: files.certificate }, "the TLS certificate was replaced; new connections get the new one");
    }
    return lookMs;
  }

  return loop("TLS certificate", turn, (error) => {
    const problem = error instanceof Error ? error.message : String(error);
    if (problem !== told) log.error({ problem }, "the new TLS certificate cannot be used; the one before stays in use");
    told = problem;
    return lookMs;
  });
}

/** The framework's type says HTTP of both kinds. */
function tlsServer(server: Server): TlsServer {
  if (server instanceof TlsServer) return server;
  throw new Error("only a TLS server has a certificate");
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
}
