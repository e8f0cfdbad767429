import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CertificateName, type Certificates, certificateNames, makeCertificates } from "./certificates.ts";
import { freePorts } from "./free-ports.ts";
import { untilListening } from "./listening.ts";

const nginxPath = "/usr/sbin/nginx";

/** Why tests with nginx cannot run here, or null. */
export const noNginx: string | null = existsSync(nginxPath) ? null : `${nginxPath} is not installed`;

export interface Nginx extends AsyncDisposable {
  readonly httpPort: number;
  /** TLS ports by the certificate that they show. */
  readonly tlsPorts: Readonly<Record<CertificateName, number>>;
  readonly certificates: Certificates;
}

/** A real nginx on loopback: one plain port and one TLS port per certificate. Stopped by its process id. */
export async function startNginx(): Promise<Nginx> {
  const certificates = makeCertificates();
  const folder = mkdtempSync(join(tmpdir(), "nginx-"));
  const [httpPort = 0, ...ports] = await freePorts(1 + certificateNames.length);
  const tlsPorts = Object.fromEntries(certificateNames.map((name, index) => [name, ports[index] ?? 0])) as Record<CertificateName, number>;
  writeFileSync(join(folder, "nginx.conf"), configuration(folder, httpPort, tlsPorts, certificates.folder));
  const child = spawn(nginxPath, ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")], { stdio: "ignore" });
  const exited = once(child, "exit");
  await Promise.all([httpPort, ...ports].map((port) => untilListening(port)));
  return {
    httpPort,
    tlsPorts,
    certificates,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
      rmSync(folder, { recursive: true, force: true });
      certificates[Symbol.dispose]();
    },
  };
}

function configuration(folder: string, httpPort: number, tlsPorts: Record<CertificateName, number>, keys: string): string {
  const locations = `location / { default_type text/plain; return 200 "hello from nginx\\n"; }
    location /teapot { return 418 "short and stout"; }`;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
  const secure = certificateNames.map(
    (name) => `server {
    listen 127.0.0.1:${tlsPorts[name]} ssl; ssl_certificate ${keys}/${name}.pem; ssl_certificate_key ${keys}/${name}.key; ${locations} }`,
  );
  return `daemon off; master_process off; pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http { access_log off; ${temporary}
  server { listen 127.0.0.1:${httpPort}; ${locations} }
  ${secure.join("\n  ")} }\n`;
}
