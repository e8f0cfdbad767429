import { execFileSync, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, copyFileSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { freePort } from "../../support/free-ports.ts";
import { until } from "../../support/processes.ts";
import type { Authority } from "../runners/ssl/authority.ts";
import { ended, listening } from "../runners/ssl/tls-servers.ts";

/** Why real servers cannot run here, or null; by protocol. */
export const missingServers: Readonly<Record<"smtp" | MailProtocol | "slapd" | "postgres", string | null>> = {
  smtp: null,
  imap: noDovecot("imap"),
  pop3: noDovecot("pop3"),
  slapd: existsSync("/usr/sbin/slapd") ? null : "/usr/sbin/slapd is not installed",
  postgres: noPostgres(),
};

/** Debian has a package for each. */
type MailProtocol = "imap" | "pop3";

function noDovecot(protocol: MailProtocol): string | null {
  const missing = ["/usr/sbin/dovecot", `/usr/lib/dovecot/${protocol}`].find((path) => !existsSync(path));
  if (missing !== undefined) return `${missing} is not installed`;
  return userInfo().uid === 0 ? null : "dovecot needs root";
}

export interface StartTlsServer extends AsyncDisposable {
  readonly port: number;
}

/** Whether it offers TLS at all. */
export interface ServerWish {
  readonly tls: boolean;
}

/** npm's smtp-server. */
export async function smtpServer(authority: Authority, { tls }: ServerWish = { tls: true }): Promise<StartTlsServer> {
  const server = new SMTPServer({
    key: authority.read("server.key"),
    cert: authority.read("server.pem"),
    hideSTARTTLS: !tls,
    authOptional: true,
    logger: false,
    disableReverseLookup: true,
  });
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(resolve);
      await promise;
    },
  };
}

/** Dovecot with IMAP and POP3, in its own folder. */
export async function dovecot(authority: Authority, protocol: MailProtocol, { tls }: ServerWish = { tls: true }): Promise<StartTlsServer> {
  const folder = mkdtempSync(join(tmpdir(), "dovecot-"));
  const port = await freePort();
  const listener = (name: string, at: number) => `inet_listener ${name} {\n port = ${at}\n}`;
  writeFileSync(
    join(folder, "dovecot.conf"),
    [
      `base_dir = ${folder}/run`,
      `state_dir = ${folder}/state`,
      `log_path = ${folder}/log`,
      `protocols = ${protocol}`,
      "listen = 127.0.0.1",
      `ssl = ${tls ? "yes" : "no"}`,
      `ssl_cert = <${authority.path("server.pem")}`,
      `ssl_key = <${authority.path("server.key")}`,
      "default_internal_user = nobody\ndefault_internal_group = nogroup\ndefault_login_user = nobody",
      "passdb {\n driver = static\n args = nopassword=y\n}",
      "service anvil {\n chroot =\n}\nservice stats {\n chroot =\n}",
      `service ${protocol}-login {\n chroot =\n ${listener(protocol, port)}\n ${listener(`${protocol}s`, 0)}\n}`,
      "",
    ].join("\n"),
  );
  const server = await started("/usr/sbin/dovecot", ["-F", "-c", join(folder, "dovecot.conf")], [port], { folder });
  return { port, [Symbol.asyncDispose]: server };
}

/** OpenLDAP without a database: its root is enough. */
export async function slapd(authority: Authority, { tls }: ServerWish = { tls: true }): Promise<StartTlsServer> {
  const folder = mkdtempSync(join(tmpdir(), "slapd-"));
  const port = await freePort();
  const [key, certificate] = [
    `TLSCertificateKeyFile ${authority.path("server.key")}`,
    `TLSCertificateFile ${authority.path("server.pem")}`,
  ];
  writeFileSync(join(folder, "slapd.conf"), [`pidfile ${folder}/pid`, ...(tls ? [certificate, key] : []), ""].join("\n"));
  const args = ["-d", "0", "-h", `ldap://127.0.0.1:${port}/`, "-f", join(folder, "slapd.conf")];
  return { port, [Symbol.asyncDispose]: await started("/usr/sbin/slapd", args, [port], { folder }) };
}

/** A PostgreSQL cluster of its own, as an unprivileged user. */
export async function postgres(authority: Authority, { tls }: ServerWish = { tls: true }): Promise<StartTlsServer> {
  const folder = mkdtempSync(join(tmpdir(), "postgres-tls-"));
  const user = postgresUser();
  const data = join(folder, "data");
  // Its key must be its own, and nobody else's to read.
  for (const name of ["server.key", "server.pem"]) copyFileSync(authority.path(name), join(folder, name));
  for (const path of [folder, join(folder, "server.key"), join(folder, "server.pem")]) chownSync(path, user.uid, user.gid);
  execFileSync(join(postgresBin(), "initdb"), ["-D", data, "-A", "trust", "-N", "--no-locale"], { ...user, cwd: folder, stdio: "ignore" });
  const port = await freePort();
  const settings = [`ssl=${tls ? "on" : "off"}`, `ssl_cert_file=${folder}/server.pem`, `ssl_key_file=${folder}/server.key`, "fsync=off"];
  const args = ["-D", data, "-p", String(port), "-k", folder, "-h", "127.0.0.1", ...settings.flatMap((setting) => ["-c", setting])];
  const stop = await started(join(postgresBin(), "postgres"), args, [port], { folder, user, signal: "SIGQUIT" });
  return { port, [Symbol.asyncDispose]: stop };
}

interface Started {
  readonly folder: string;
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly signal?: NodeJS.Signals;
}

/** Starts a program that stays in the foreground. @returns what ends it and removes its folder */
async function started(program: string, args: readonly string[], ports: readonly number[], options: Started): Promise<() => Promise<void>> {
  const { folder, user, signal = "SIGTERM" } = options;
  const stdio: StdioOptions = "ignore";
  const child = spawn(program, args, { cwd: folder, stdio, ...user });
  await Promise.all(ports.map((port) => listening(port, child)));
  return async () => {
    await ended(child, signal);
    await until(`the end of ${program}`, () => !existsSync(join(folder, "run", "master.pid")));
    rmSync(folder, { recursive: true, force: true });
  };
}

function postgresBin(): string {
  return globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1) ?? "";
}

function postgresUser(): { readonly uid: number; readonly gid: number } {
  const { uid, gid } = userInfo();
  if (uid !== 0) return { uid, gid };
  const id = (flag: string): number =>
    Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  return { uid: id("-u"), gid: id("-g") };
}

function noPostgres(): string | null {
  if (postgresBin() === "") return "no binaries in /usr/lib/postgresql";
  try {
    postgresUser();
    return null;
  } catch {
    return "there is no user postgres to run the server as";
  }
}
