import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Files and texts of one authority and of servers that are good or wrong in one way each. */
export interface Certificates extends Disposable {
  readonly folder: string;
  /** The authority, PEM; it signed `good`, `expired` and `wrongHost`. */
  readonly ca: string;
  pair(name: CertificateName): { readonly key: string; readonly cert: string };
}

const subjects = {
  good: { names: "DNS:localhost,IP:127.0.0.1,IP:::1", days: 30 },
  expired: { names: "DNS:localhost,IP:127.0.0.1", days: -1 },
  wrongHost: { names: "DNS:other.example", days: 30 },
  selfSigned: { names: "DNS:localhost,IP:127.0.0.1", days: 30 },
} as const;
export type CertificateName = keyof typeof subjects;
export const certificateNames = Object.keys(subjects) as CertificateName[];

/** Made with openssl in a folder of their own, which goes with them. @param goodDays after which `good` ends */
export function makeCertificates({ goodDays = subjects.good.days }: { readonly goodDays?: number } = {}): Certificates {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  const openssl = (...args: string[]): void => void execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const selfSign = (name: string, subject: string, ...more: string[]): void =>
    openssl("req", "-x509", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.pem`, "-days", "30", "-subj", subject, ...more);
  selfSign("ca", "/CN=Test authority");
  for (const name of certificateNames) {
    const { names, days } = subjects[name];
    if (name === "selfSigned") {
      selfSign(name, "/CN=localhost", "-addext", `subjectAltName=${names}`);
      continue;
    }
    openssl(
      "req",
      ...newKey,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.csr`,
      "-subj",
      `/CN=${name}`,
      "-addext",
      `subjectAltName=${names}`,
    );
    openssl(
      "x509",
      "-req",
      "-in",
      `${name}.csr`,
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-CAcreateserial",
      "-copy_extensions",
      "copy",
      "-days",
      String(name === "good" ? goodDays : days),
      "-out",
      `${name}.pem`,
    );
  }
  const read = (file: string): string => readFileSync(join(folder, file), "utf8");
  return {
    folder,
    ca: read("ca.pem"),
    pair: (name) => ({ key: read(`${name}.key`), cert: read(`${name}.pem`) }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
