import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface CertificateWish {
  readonly signer?: string;
  /** Default `/CN=<name>`. */
  readonly subject?: string;
  /** Default `DNS:localhost,IP:127.0.0.1`; null for none. */
  readonly names?: string | null;
  /** As `openssl req -newkey` has it; default an elliptic curve. */
  readonly key?: readonly string[];
  readonly digest?: string;
  /** Further words for the signature, such as `-sigopt`. */
  readonly signing?: readonly string[];
  /** Days from now. */
  readonly fromDays?: number;
  readonly toDays?: number;
  readonly isCa?: boolean;
  /** Further lines of the extension section. */
  readonly extensions?: readonly string[];
}

const curve = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

/** Authorities and certificates made with openssl, in a folder that goes with it. `root` is there from the start. */
export class Authority implements Disposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), "authority-"));
  #serial = 1000;

  constructor() {
    this.issue("root", { isCa: true, names: null, signer: "root" });
  }

  /** Makes `<name>.key` and `<name>.pem`; a certificate that is its own signer is self-signed. */
  issue(name: string, wish: CertificateWish = {}): this {
    const { signer = "root", subject = `/CN=${name}`, key = curve, digest = "sha256", signing = [], fromDays = -1, toDays = 30 } = wish;
    this.#openssl("req", "-newkey", ...key, "-nodes", "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", subject, "-utf8");
    writeFileSync(this.path(`${name}.cnf`), this.#configuration(signer, wish));
    const dates = ["-startdate", instant(fromDays), "-enddate", instant(toDays)];
    const self = signer === name ? ["-selfsign", "-keyfile", `${name}.key`] : ["-keyfile", `${signer}.key`, "-cert", `${signer}.pem`];
    const files = ["-config", `${name}.cnf`, "-in", `${name}.csr`, "-out", `${name}.pem`];
    this.#openssl("ca", "-batch", "-notext", "-md", digest, ...files, ...self, ...dates, ...signing);
    return this;
  }

  /** What `openssl ocsp` says about a certificate, as a stapled response in `<out>`. */
  staple(
    name: string,
    options: { readonly issuer: string; readonly responder?: string; readonly out: string; readonly revoked?: boolean },
  ): string {
    const { issuer, responder = issuer, out, revoked = false } = options;
    if (revoked)
      this.#openssl("ca", "-config", `${name}.cnf`, "-keyfile", `${issuer}.key`, "-cert", `${issuer}.pem`, "-revoke", `${name}.pem`);
    this.#openssl("ocsp", "-issuer", `${issuer}.pem`, "-cert", `${name}.pem`, "-reqout", `${out}.req`, "-no_nonce");
    const signer = ["-rsigner", `${responder}.pem`, "-rkey", `${responder}.key`];
    const database = ["-index", this.path(issuer, "index.txt"), "-CA", `${issuer}.pem`];
    this.#openssl("ocsp", ...database, ...signer, "-reqin", `${out}.req`, "-respout", out, "-ndays", "1");
    return this.path(out);
  }

  /** Several certificates in one file, as servers send them. */
  bundle(file: string, ...names: readonly string[]): string {
    writeFileSync(this.path(file), names.map((name) => this.read(`${name}.pem`)).join(""));
    return this.path(file);
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts);
  }

  read(file: string): string {
    return readFileSync(this.path(file), "utf8");
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #openssl(...args: readonly string[]): void {
    execFileSync("openssl", args, { cwd: this.folder, stdio: "pipe" });
  }

  /** Each authority has a database of its own. */
  #configuration(signer: string, { names = "DNS:localhost,IP:127.0.0.1", isCa = false, extensions = [] }: CertificateWish): string {
    mkdirSync(this.path(signer), { recursive: true });
    writeFileSync(this.path(signer, "index.txt"), "", { flag: "a" });
    writeFileSync(this.path(signer, "serial"), String((this.#serial += 2)));
    const lines = [
      `basicConstraints = critical, CA:${isCa ? "TRUE" : "FALSE"}`,
      "subjectKeyIdentifier = hash",
      ...(names === null ? [] : [`subjectAltName = ${names}`]),
      ...extensions,
    ];
    const database = [`database = ${signer}/index.txt`, `serial = ${signer}/serial`, `new_certs_dir = ${signer}`, "policy = any"];
    return [
      "[ca]\ndefault_ca = this\n[this]",
      ...database,
      "unique_subject = no\npreserve = yes\ndefault_md = sha256\nx509_extensions = extensions\n[any]",
      ...["countryName", "organizationName", "commonName"].map((part) => `${part} = optional`),
      "[extensions]",
      ...lines,
      "",
    ].join("\n");
  }
}

function instant(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, "");
}
