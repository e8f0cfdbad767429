import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { freePort } from "../../../support/free-ports.ts";
import { responseOf } from "../../../support/run-context.ts";
import { missingServers, postgres, smtpServer } from "../../net/start-tls-servers.ts";
import { Authority } from "../ssl/authority.ts";
import { ended, listening } from "../ssl/tls-servers.ts";
import { tcpChecks } from "./tcp-check.ts";

const authority = new Authority().issue("server");
afterAll(() => authority[Symbol.dispose]());
const check = tcpChecks([authority.read("root.pem")]);

const noRedis = existsSync("/usr/bin/redis-server") ? null : "/usr/bin/redis-server is not installed";
if (noRedis !== null) process.stdout.write(`TCP checks of Redis are skipped: ${noRedis}\n`);
if (missingServers.postgres !== null) process.stdout.write(`TCP checks of PostgreSQL are skipped: ${missingServers.postgres}\n`);

async function redis(): Promise<AsyncDisposable & { readonly port: number }> {
  const folder = mkdtempSync(join(tmpdir(), "redis-"));
  const port = await freePort();
  const child = spawn("/usr/bin/redis-server", ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder], {
    stdio: "ignore",
  });
  await listening(port, child);
  return {
    port,
    async [Symbol.asyncDispose]() {
      await ended(child, "SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe("the TCP runner and real servers", () => {
  it.skipIf(noRedis !== null)("gets a PONG of Redis, by expectation and by quiet", async () => {
    await using server = await redis();
    const ping = { port: server.port, data: "PING\r\n" };
    expect(responseOf(await check({ ...ping, expect: "^\\+PONG" }))).toMatchObject({ data: "+PONG\r\n", endedBy: "expect" });
    expect(responseOf(await check(ping))).toMatchObject({ data: "+PONG\r\n", endedBy: "quiet" });
    const wrong = await check({ ...ping, data: "PING\r\nQUIT\r\n", expect: "^-ERR" });
    expect(wrong).toMatchObject({ failure: { code: "EEXPECT" }, result: { response: { data: "+PONG\r\n+OK\r\n", endedBy: "close" } } });
  });

  it("reads an SMTP server's banner, and speaks over STARTTLS", async () => {
    await using server = await smtpServer(authority);
    expect(responseOf(await check({ port: server.port, expect: "^220 .*ESMTP" })).data).toMatch(/^220 /);
    const seen = await check({ hostname: "localhost", port: server.port, startTls: "smtp", data: "EHLO me\r\n", expect: "(?m)^250 " });
    expect(seen.result).toMatchObject({ connection: { tls: { authorized: true } }, request: { startTls: "smtp" }, requestError: null });
  });

  it.skipIf(missingServers.postgres !== null)("reaches PostgreSQL over its SSLRequest", async () => {
    await using server = await postgres(authority);
    const seen = await check({ hostname: "localhost", port: server.port, startTls: "postgres" });
    expect(seen).toMatchObject({ failure: null, result: { connection: { tls: { protocol: "TLSv1.3", authorized: true } } } });
    await using without = await smtpServer(authority);
    expect(await check({ port: without.port, startTls: "postgres" })).toMatchObject({ failure: { code: "ESTARTTLS" }, trail: null });
  });
});
