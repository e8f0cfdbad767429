import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-ports.ts";
import { untilListening } from "./listening.ts";

export interface ForwardProxy extends AsyncDisposable {
  readonly url: string;
  /** The log of what it was asked. */
  asked(): string;
  /** Of the CA by which one that opens TLS makes its certificates. */
  readonly caFile: string;
}

export interface ForwardProxyKind {
  readonly name: "squid" | "tinyproxy";
  readonly path: string;
}

const kinds: readonly ForwardProxyKind[] = [
  { name: "squid", path: "/usr/sbin/squid" },
  { name: "tinyproxy", path: "/usr/bin/tinyproxy" },
];

/** The proxies that are installed here; those that are not are named once, with what to do. */
export function installedProxies(): readonly ForwardProxyKind[] {
  for (const { name, path } of kinds) {
    if (!existsSync(path)) process.stdout.write(`Tests behind ${name} are skipped: ${path} is not there. Install the package ${name}.\n`);
  }
  return kinds.filter(({ path }) => existsSync(path));
}

/** `open`: tunnels wherever https is; `closed`: no tunnels at all; `opensTls`: squid alone, by a CA of its own in `caFile`. */
export type TunnelRule = "open" | "closed" | "opensTls";

/** A real forward proxy on loopback, stopped by its process id. @param login user and password that it asks for */
export async function startForwardProxy(
  { name, path }: ForwardProxyKind,
  login: string | null = null,
  tunnels: TunnelRule = "open",
): Promise<ForwardProxy> {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  chmodSync(folder, 0o777); // squid gives up root's rights
  const port = await freePort();
  const log = join(folder, "access.log");
  const file = join(folder, "proxy.conf");
  writeFileSync(file, name === "squid" ? squid(folder, port, login, tunnels) : tinyproxy(folder, port, login, tunnels));
  const child = spawn(path, name === "squid" ? ["-N", "-f", file] : ["-d", "-c", file], { stdio: "ignore" });
  const exited = once(child, "exit");
  await untilListening(port);
  return {
    url: `http://${login === null ? "" : `${login}@`}127.0.0.1:${port}`,
    caFile: join(folder, "ca.pem"),
    asked: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As a company's: what is not https gets no tunnel to the ports of the web. */
function squid(folder: string, port: number, login: string | null, tunnels: TunnelRule): string {
  return `http_port 127.0.0.1:${port}${tunnels === "opensTls" ? openedTls(folder) : ""}
${login === null ? "" : basicLogin(folder, login)}
acl web port 80
acl CONNECT method CONNECT
http_access deny CONNECT ${tunnels === "closed" ? "" : "web"}
http_access allow ${login === null ? "all" : "known"}
http_access deny all
logformat asked %rm %ru
access_log stdio:${folder}/access.log asked
buffered_logs off
cache deny all
cache_log ${folder}/cache.log
pid_filename ${folder}/squid.pid
coredump_dir ${folder}
pinger_enable off
shutdown_lifetime 0 seconds
max_filedescriptors 256
`;
}

function basicLogin(folder: string, login: string): string {
  const [user = "", password = ""] = login.split(":");
  const hash = execFileSync("openssl", ["passwd", "-apr1", password], { encoding: "utf8" }).trim();
  writeFileSync(join(folder, "users"), `${user}:${hash}\n`, { mode: 0o644 });
  return `auth_param basic program /usr/lib/squid/basic_ncsa_auth ${folder}/users
acl known proxy_auth REQUIRED`;
}

/** The rest of squid's line: it makes a certificate for each host by a CA of its own. */
function openedTls(folder: string): string {
  const [ca, store] = [join(folder, "ca.pem"), join(folder, "certificates")];
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", join(folder, "ca.key")];
  execFileSync("openssl", ["req", "-x509", ...newKey, "-out", ca, "-days", "30", "-subj", "/O=Company/CN=Company web filter"], {
    stdio: "pipe",
  });
  execFileSync("/usr/lib/squid/security_file_certgen", ["-c", "-s", store, "-M", "4MB"], { stdio: "pipe" });
  execFileSync("chmod", ["-R", "a+rwX", folder]); // squid gives up root's rights
  return ` ssl-bump tls-cert=${ca} tls-key=${folder}/ca.key generate-host-certificates=on
sslcrtd_program /usr/lib/squid/security_file_certgen -s ${store} -M 4MB
sslcrtd_children 1
tls_outgoing_options flags=DONT_VERIFY_PEER
sslproxy_cert_error allow all
ssl_bump bump all`;
}

function tinyproxy(folder: string, port: number, login: string | null, tunnels: TunnelRule): string {
  return `Port ${port}
Listen 127.0.0.1
Timeout 30
Logfile "${folder}/access.log"
LogLevel Connect
MaxClients 50
${tunnels === "closed" ? "ConnectPort 563\n" : ""}${login === null ? "" : `BasicAuth ${login.replace(":", " ")}\n`}`;
}
