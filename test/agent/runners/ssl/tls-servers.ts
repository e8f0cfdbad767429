import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePorts } from "../../../support/free-ports.ts";
import { until } from "../../../support/processes.ts";
import type { Authority } from "./authority.ts";

export interface SiteWish {
  readonly certificate: string;
  /** File of the chain as sent; default the certificate alone. */
  readonly chain?: string;
  /** Further lines of the server section. */
  readonly lines?: readonly string[];
}

export interface TlsSites extends AsyncDisposable {
  port(name: string): number;
}

/** A real nginx on loopback with one TLS port per site. Stopped by its process id. */
export async function nginxSites(authority: Authority, wishes: Readonly<Record<string, SiteWish>>): Promise<TlsSites> {
  const folder = mkdtempSync(join(tmpdir(), "nginx-ssl-"));
  const names = Object.keys(wishes);
  // All at once: a port that was let go may be handed out again.
  const free = await freePorts(names.length);
  const ports = new Map(names.map((name, index) => [name, free[index] ?? 0]));
  const servers = Object.entries(wishes).map(
    ([name, { certificate, chain = `${certificate}.pem`, lines = [] }]) => `server { listen 127.0.0.1:${ports.get(name)} ssl;
    ssl_certificate ${authority.path(chain)}; ssl_certificate_key ${authority.path(`${certificate}.key`)}; ${lines.join(" ")} }`,
  );
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; master_process off; pid ${folder}/nginx.pid; events {} http { access_log off; ssl_protocols TLSv1.2 TLSv1.3; ${temporary}\n${servers.join("\n")} }`,
  );
  const child = spawn("/usr/sbin/nginx", ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")], {
    stdio: "ignore",
  });
  await Promise.all([...ports.values()].map((port) => listening(port, child)));
  return {
    port: (name) => ports.get(name) ?? 0,
    async [Symbol.asyncDispose]() {
      await ended(child, "SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `openssl s_server` for what other servers do not do any more. */
export async function opensslServer(args: readonly string[]): Promise<AsyncDisposable & { readonly port: number }> {
  const child = spawn("openssl", ["s_server", "-accept", "127.0.0.1:0", ...args], { stdio: ["pipe", "pipe", "ignore"] });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  createInterface(child.stdout).on("line", (line) => {
    const port = /^ACCEPT .*:(\d+)/.exec(line)?.[1];
    if (port !== undefined) resolve(Number(port));
  });
  child.once("exit", () => reject(new Error(`openssl s_server ${args.join(" ")} ended`)));
  return { port: await promise, [Symbol.asyncDispose]: () => ended(child, "SIGKILL") };
}

/** Waits for a server that has just been started. */
export async function listening(port: number, child: ChildProcess): Promise<void> {
  await until(`a listener on port ${port}`, async () => {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return true;
    } finally {
      socket.destroy();
    }
  });
}

/** Ends a child by its process id, and waits for it. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}
