import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "#daemon/env.ts";

const pemBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * The CAs of NODE_EXTRA_CA_CERTS, as PEM blocks: trusted by management traffic and by checks. Node.js reads the
 * variable itself, but only a file and only at start; this takes a folder (`.pem`, `.crt`, `.cer`) too.
 *
 * @throws {ConfigError} when there is no certificate to be read
 */
export function readExtraCas(path: string | null): readonly string[] {
  if (path === null) return [];
  const certificates = readCertificates(path);
  if (certificates.length === 0) throw new ConfigError(`NODE_EXTRA_CA_CERTS: no PEM certificate found in ${path}`);
  return certificates;
}

function readCertificates(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return readFileSync(path, "utf8").match(pemBlock) ?? [];
    const files = readdirSync(path)
      .filter((name) => /\.(pem|crt|cer)$/i.test(name))
      .toSorted();
    return files.flatMap((name) => readFileSync(join(path, name), "utf8").match(pemBlock) ?? []);
  } catch (cause) {
    throw new ConfigError(`NODE_EXTRA_CA_CERTS: ${path} cannot be read`, { cause });
  }
}
