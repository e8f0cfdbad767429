import type { Socket } from "node:net";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import type { StartTls } from "#contract/checks/connection.ts";
import { newDialTrace } from "../../../src/agent/net/connection.ts";
import { dial } from "../../../src/agent/net/dial.ts";
import { startTls } from "../../../src/agent/net/start-tls.ts";
import { StepWatch } from "../../../src/agent/net/step-watch.ts";
import { createTrust, secure } from "../../../src/agent/net/tls.ts";
import { rawServer } from "../../support/http-servers/raw-server.ts";
import { fixedResolver, openPolicy } from "../../support/run-context.ts";
import { turnsUntil } from "../../support/turns.ts";
import { Authority } from "../runners/ssl/authority.ts";
import { dovecot, missingServers, postgres, slapd, smtpServer } from "./start-tls-servers.ts";

const authority = new Authority().issue("server");
const trust = createTrust([authority.read("root.pem")]);
afterAll(() => authority[Symbol.dispose]());

/** Dials, talks in the clear, makes the handshake. @returns the facts of TLS */
async function begin(protocol: StartTls, port: number, signal = new AbortController().signal) {
  const watch = new StepWatch(signal);
  const trace = newDialTrace();
  const context = { resolver: fixedResolver({}), egress: openPolicy, monotonicMs: () => performance.now(), watch };
  let socket: Socket | undefined;
  try {
    socket = await dial({ host: "127.0.0.1", port, ipFamily: "IPv4", tls: null }, context, trace);
    await startTls(socket, protocol, `127.0.0.1:${port}`, context);
    const alpn = protocol === "postgres" ? ["postgresql"] : [];
    (await secure(socket, "localhost", { context: trust, acceptsUntrusted: false, alpn }, context, trace)).destroy();
    return trace.connection?.tls;
  } finally {
    watch.close();
    expect(socket?.destroyed ?? true).toBe(true);
  }
}

const real: readonly (readonly [
  string,
  StartTls,
  string | null,
  (tls: boolean) => Promise<AsyncDisposable & { readonly port: number }>,
])[] = [
  ["npm's smtp-server", "smtp", missingServers.smtp, (tls) => smtpServer(authority, { tls })],
  ["dovecot", "imap", missingServers.imap, (tls) => dovecot(authority, "imap", { tls })],
  ["dovecot", "pop3", missingServers.pop3, (tls) => dovecot(authority, "pop3", { tls })],
  ["slapd", "ldap", missingServers.slapd, (tls) => slapd(authority, { tls })],
  ["PostgreSQL", "postgres", missingServers.postgres, (tls) => postgres(authority, { tls })],
];

for (const [server, protocol, missing] of real) {
  if (missing !== null) process.stdout.write(`STARTTLS of ${protocol} against ${server} is skipped: ${missing}\n`);
}

describe.each(real)("STARTTLS of %s", (_server, protocol, missing, start) => {
  it.skipIf(missing !== null)(`by ${protocol} leads to a trusted handshake`, async () => {
    await using server = await start(true);
    expect(await begin(protocol, server.port)).toMatchObject({ authorized: true, trustError: null, protocol: "TLSv1.3" });
  });

  it.skipIf(missing !== null)(`by ${protocol} says so where the server does not offer it`, async () => {
    await using server = await start(false);
    await expect(begin(protocol, server.port)).rejects.toMatchObject({
      code: "ESTARTTLS",
      side: "target",
      message: expect.stringMatching(new RegExp(`^127.0.0.1:${server.port} (does not offer|refused) `)),
    });
  });
});

/** Says the first word at once, and each next one when something came. */
function scripted(...words: readonly (string | Buffer)[]) {
  return rawServer((socket) => {
    const [greeting = "", ...answers] = words;
    if (greeting !== "") socket.write(greeting);
    socket.on("data", () => {
      const answer = answers.shift();
      if (answer !== undefined) socket.write(answer);
    });
  });
}

const ldapSuccess = Buffer.from([0x30, 12, 2, 1, 1, 0x78, 7, 0x0a, 1, 0, 4, 0, 4, 0]);
const ldapWide = Buffer.from([0x30, 0x84, 0, 0, 0, 16, 2, 1, 1, 0x78, 0x84, 0, 0, 0, 7, 0x0a, 1, 0, 4, 0, 4, 0]);

describe("STARTTLS and hostile servers", () => {
  afterEach(() => void vi.useRealTimers());

  it.each<[StartTls, ...(string | Buffer)[]]>([
    ["smtp", "220 mail\r\n", "250-mail\r\n250 STARTTLS\r\n", "220 go\r\n250 injected\r\n"],
    ["imap", "* OK ready\r\n", "a1 OK go\r\na2 OK injected\r\n"],
    ["pop3", "+OK ready\r\n", "+OK go\r\n+OK injected\r\n"],
    ["ldap", "", Buffer.concat([ldapSuccess, ldapSuccess])],
    ["postgres", "", "SR\0\0\0\b"],
  ])("what follows the go-ahead of %s in the clear is an error, not an answer", async (protocol, ...words) => {
    await using server = await scripted(...words);
    await expect(begin(protocol, server.port)).rejects.toMatchObject({ code: "EINJECTION", side: "target" });
  });

  it("bytes that come after the go-ahead as a packet of their own do not pass for TLS", async () => {
    await using server = await rawServer((socket) => {
      socket.once("data", () => {
        socket.write("S");
        socket.once("data", () => socket.write("R\0\0\0\b\0\0\0\0"));
      });
    });
    await expect(begin("postgres", server.port)).rejects.toMatchObject({ code: "EPROTO" });
  });

  it.each<[string, StartTls, string, ...(string | Buffer)[]]>([
    ["another protocol's greeting", "smtp", 'does not speak SMTP: it said "+OK ready"', "+OK ready\r\n"],
    ["a busy server", "smtp", 'did not greet as an SMTP server does: it said "421 too busy"', "421-try\r\n421 too busy\r\n"],
    [
      "no STARTTLS among the extensions",
      "smtp",
      'does not offer STARTTLS: it said "SIZE 1, XSTARTTLS"',
      "220 a\r\n",
      "250-a\r\n250-SIZE 1\r\n250 XSTARTTLS\r\n",
    ],
    ["a late refusal", "smtp", 'refused STARTTLS: it said "454 no key"', "220 a\r\n", "250-a\r\n250 starttls\r\n", "454 no key\r\n"],
    ["a session that is logged in", "imap", "did not greet as an IMAP server does that awaits a log-in", "* PREAUTH hello\r\n"],
    ["a farewell", "imap", 'refused STARTTLS: it said "* BYE"', "* OK hello\r\n", "* CAPABILITY X\r\n* BYE\r\n"],
    ["an error", "pop3", 'refused STLS: it said "-ERR no"', "+OK\r\n", "-ERR no\r\n"],
    ["control characters", "pop3", 'it said "?[2J???"', "\u001b[2J\u00ff\u0007\r\n"],
    ["long lines", "pop3", `it said "${"x".repeat(100)}…"`, `${"x".repeat(4_000)}\r\n`],
    ["endless lines", "smtp", "sent a line of more than 4096 bytes", "2".repeat(5_000)],
    ["endless replies", "smtp", "sent more than 200 lines", "220-\r\n".repeat(300)],
    ["a flood", "imap", "sent more than 32768 bytes before TLS", "* OK\r\n", "* X\r\n".repeat(20_000)],
    ["text", "ldap", 'does not speak LDAP: it said "HT"', "", "HTTP/1.1 400 Bad Request\r\n"],
    [
      "a refusal",
      "ldap",
      'refused StartTLS with unavailable: it said "no"',
      "",
      Buffer.from([0x30, 14, 2, 1, 1, 0x78, 9, 0x0a, 1, 52, 4, 0, 4, 2, 0x6e, 0x6f]),
    ],
    ["an answer to something else", "ldap", "does not speak LDAP", "", Buffer.from([0x30, 12, 2, 1, 1, 0x61, 7, 0x0a, 1, 0, 4, 0, 4, 0])],
    ["an endless length", "ldap", "does not speak LDAP (a length over 16 MB)", "", Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff])],
    ["a long answer", "ldap", "announced an answer of 65535 bytes", "", Buffer.from([0x30, 0x82, 0xff, 0xff])],
    ["an indefinite length", "ldap", "does not speak LDAP", "", Buffer.from([0x30, 0x80, 0, 0])],
    ["a refusal", "postgres", 'does not offer TLS (SSLRequest): it said "N"', "", "N"],
    ["an error", "postgres", "answered SSLRequest with an error", "", "E\0\0\0\b"],
    ["text", "postgres", 'does not speak PostgreSQL\'s protocol: it said "H"', "", "HTTP/1.1 400\r\n"],
  ])("%s by %s is ESTARTTLS: %s", async (_what, protocol, sentence, ...words) => {
    await using server = await scripted(...words);
    await expect(begin(protocol, server.port)).rejects.toMatchObject({ code: "ESTARTTLS", message: expect.stringContaining(sentence) });
  });

  it("reads lengths of four bytes, as Active Directory writes them, and answers in pieces", async () => {
    await using server = await rawServer((socket) => {
      socket.setNoDelay(true);
      socket.once("data", async () => {
        for (const byte of ldapWide) {
          socket.write(Buffer.from([byte]));
          await new Promise((resolve) => setImmediate(resolve));
        }
        socket.once("data", () => socket.end("no TLS"));
      });
    });
    await expect(begin("ldap", server.port)).rejects.toMatchObject({ code: "EPROTO" });
  });

  it("tells a server that closes, and one that resets", async () => {
    await using closing = await rawServer((socket) => socket.end("220 bye"));
    await expect(begin("smtp", closing.port)).rejects.toMatchObject({ code: "ECONNRESET", message: expect.stringContaining("closed") });
    await using resetting = await rawServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
    await expect(begin("postgres", resetting.port)).rejects.toMatchObject({
      code: "ECONNRESET",
      message: expect.stringContaining("reset"),
    });
  });

  it("gives up a server that says nothing after 10 seconds, and one that drips too", async () => {
    await using server = await rawServer((socket) => void socket.write("220-slow\r\n"));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const failure = begin("smtp", server.port).catch((error: unknown) => error);
    await turnsUntil(() => server.connections() > 0);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(10_001);
    expect(await failure).toMatchObject({ code: "ETIMEDOUT", message: expect.stringMatching(/^STARTTLS \(smtp\) with .* took longer/) });
  });

  it("stops with the caller's reason", async () => {
    await using server = await rawServer(() => undefined);
    const run = new AbortController();
    const failure = begin("imap", server.port, run.signal);
    await turnsUntil(() => server.connections() > 0);
    run.abort("cancelled");
    await expect(failure).rejects.toBe("cancelled");
  });
});
