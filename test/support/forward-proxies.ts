import { spawn } from "node:child_process";
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

/** A real forward proxy on loopback, stopped by its process id. @param login user and password that it asks for; squid is given none here */
export async function startForwardProxy({ name, path }: ForwardProxyKind, login: string | null = null): Promise<ForwardProxy> {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  chmodSync(folder, 0o777); // squid gives up root's rights
  const port = await freePort();
  const log = join(folder, "access.log");
  const file = join(folder, "proxy.conf");
  writeFileSync(file, name === "squid" ? squid(folder, port) : tinyproxy(folder, port, login));
  const child = spawn(path, name === "squid" ? ["-N", "-f", file] : ["-d", "-c", file], { stdio: "ignore" });
  const exited = once(child, "exit");
  await untilListening(port);
  return {
    url: `http://${login === null ? "" : `${login}@`}127.0.0.1:${port}`,
    asked: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As a company's: what is not https gets no tunnel to the ports of the web. */
function squid(folder: string, port: number): string {
  return `http_port 127.0.0.1:${port}
acl web port 80
acl CONNECT method CONNECT
http_access deny CONNECT web
http_access allow all
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

function tinyproxy(folder: string, port: number, login: string | null): string {
  return `Port ${port}
Listen 127.0.0.1
Timeout 30
Logfile "${folder}/access.log"
LogLevel Connect
MaxClients 50
${login === null ? "" : `BasicAuth ${login.replace(":", " ")}\n`}`;
}
