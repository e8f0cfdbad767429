import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { type CheckType, checkTypes } from "#contract/checks/index.ts";
import { basicCredentials } from "#daemon/basic-credentials.ts";
import { outpostProgram } from "../../support/built-program.ts";
import { makeCertificates } from "../../support/certificates.ts";
import { dnsServer } from "../../support/dns-server.ts";
import { httpServer } from "../../support/http-servers/http-server.ts";
import { proxyServer } from "../../support/http-servers/proxy-server.ts";
import { cannedServer, rawServer, serve } from "../../support/http-servers/raw-server.ts";
import { shopServer } from "../runners/grpc/grpc-server.ts";
import { shopProto } from "../runners/grpc/shop-proto.ts";
import { type Ended, outpostRun } from "./outpost-run.ts";

const certificates = makeCertificates();
afterAll(() => certificates[Symbol.dispose]());

interface Told {
  readonly name: string | null;
  readonly checkType: CheckType;
  readonly verdict: string;
  readonly errorMessage: string | null;
  readonly failedBy: { readonly code: string; readonly side: string } | null;
  readonly responseTimeMs: number;
  readonly phases: Readonly<Record<string, number | null>>;
  readonly [member: string]: unknown;
}

/** What `--json` printed, one per check; each result must fit the contract. */
function told({ stdout }: Ended): Told[] {
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const run = JSON.parse(line) as Told;
      const { result, resultMember } = checkTypes[run.checkType];
      result.parse(run[resultMember]);
      return run;
    });
}

async function jsonServer() {
  const server = await httpServer((_request, response) => {
    response.setHeader("content-type", "application/json").end('{"status":"ok","items":[1,2]}');
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const get = (url: string, more: object = {}): object => ({ method: "GET", url, ...more });
const statusIs = (target: string): object => ({ source: "STATUS_CODE", comparison: "EQUALS", target });

describe("outpost run, for people", () => {
  it("tells a check that passed: verdict, phases, connection, status, assertions with what they saw", async () => {
    const server = await jsonServer();
    const assertions = [
      statusIs("200"),
      { source: "JSON_BODY", property: "$.items[*]", comparison: "LESS_THAN", target: "3" },
      { source: "RESPONSE_TIME", comparison: "LESS_THAN", target: "10000" },
    ];
    const ended = await outpostRun(["c.yaml"], { "c.yaml": { name: "my api", request: get(server.url, { assertions }) } });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    for (const line of ended.stdout.split("\n")) expect(Array.from(line).length).toBeLessThanOrEqual(80);
    expect(ended.stdout).toMatch(/^✓ passed {2}my api +[\d.]+ ms\n {2}GET http:/);
    expect(ended.stdout).toMatch(/^ {2}firstByte +[\d.]+ ms {2} *[█▏▎▍▌▋▊▉]+$/m);
    for (const name of ["wait", "dns", "tcp", "tls", "download"]) expect(ended.stdout).toMatch(new RegExp(`^  ${name} +[\\d.]+ ms`, "m"));
    expect(ended.stdout).toContain(`connection  127.0.0.1:${server.port}\n`);
    expect(ended.stdout).toContain("status      200 OK\n");
    expect(ended.stdout).toContain("✓ STATUS_CODE EQUALS 200  got 200\n");
    expect(ended.stdout).toContain("✓ JSON_BODY $.items[*] LESS_THAN 3  got 1\n");
    expect(ended.stdout).toMatch(/✓ RESPONSE_TIME LESS_THAN 10000 {2}got \d+\n/);
  });

  it("tells why one is degraded, which is no failure, and why one failed, which is", async () => {
    const slow = await httpServer((_request, response) => void setTimeout(() => response.end(), 30));
    onTestFinished(() => slow[Symbol.asyncDispose]());
    const degraded = await outpostRun(["c.json"], { "c.json": { checkType: "URL", degradedResponseTime: 5, request: { url: slow.url } } });
    expect(degraded.code).toBe(0);
    expect(degraded.stdout).toMatch(/^! degraded .*\n {2}response time \d+ ms is over the degraded limit of 5 ms\n/);
    const failed = await outpostRun(["c.json"], { "c.json": { request: get(slow.url, { assertions: [statusIs("201")] }) } });
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain('✗ STATUS_CODE EQUALS 201  got 200\n    expected the status code to equal "201", got "200"\n');
  });

  it("shows in which phase an attempt ended, and on whose side", async () => {
    const silent = await rawServer(() => undefined);
    await silent[Symbol.asyncDispose]();
    const refused = await outpostRun(["c.yaml"], { "c.yaml": `request: {method: GET, url: "http://127.0.0.1:${silent.port}/"}` });
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("ECONNREFUSED: ");
    expect(refused.stdout).toMatch(/^ {2}tcp +[\d.]+ ms {2} *░+$/m);
    expect(refused.stdout).toMatch(/^ {2}firstByte +–$/m);
    const proxied = await outpostRun(["c.yaml", "--proxy", `http://127.0.0.1:${silent.port}`], {
      "c.yaml": "request: {method: GET, url: 'http://x.test/'}",
    });
    expect(proxied.stdout).toContain("EPROXY: ");
    expect(proxied.stdout).toContain("The cause is on this side");
  });

  it("runs several checks one after another, from a list, documents or standard input, without a retry", async () => {
    const asked: string[] = [];
    let underWay = 0;
    const server = await httpServer((request, response) => {
      asked.push(`${request.url} ${(underWay += 1)}`);
      setTimeout(() => response.writeHead(request.url === "/b" ? 500 : 200).end(void (underWay -= 1)), 10);
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const one = (path: string): string => `{checkType: URL, request: {url: "${server.url}/${path}"}, retryStrategy: {type: FIXED}}`;
    const listed = await outpostRun(["c.yaml"], { "c.yaml": `- ${one("a")}\n- ${one("b")}\n- ${one("c")}\n` });
    expect(listed.code).toBe(1);
    expect(listed.stdout.match(/^. (passed|failed)/gm)).toEqual(["✓ passed", "✗ failed", "✓ passed"]);
    expect((await outpostRun(["-"], {}, { stdin: `${one("d")}\n---\n${one("e")}\n` })).code).toBe(0);
    expect(asked).toEqual(["/a 1", "/b 1", "/c 1", "/d 1", "/e 1"]);
  });

  it("colours on a terminal only, and not with NO_COLOR", async (context) => {
    if (!existsSync("/usr/bin/script")) return context.skip("skipped: /usr/bin/script is not installed");
    const server = await jsonServer();
    const words = [process.execPath, ...outpostProgram(), "run", "-"].join(" ");
    const onTerminal = async (setting: string): Promise<string> => {
      const command = `echo '{checkType: URL, request: {url: "${server.url}"}}' | ${setting} ${words}`;
      return (await promisify(execFile)("script", ["-qec", command, "/dev/null"])).stdout;
    };
    expect(await onTerminal("env -u NO_COLOR")).toContain("\u001b[32m✓ passed\u001b[39m");
    expect(await onTerminal("NO_COLOR=1")).not.toContain("\u001b");
  });

  it("ends at once at Ctrl-C", async () => {
    await using silent = await rawServer(() => void child?.kill("SIGINT"));
    let child: { kill(signal: NodeJS.Signals): boolean } | undefined;
    const file = { checkType: "URL", request: { url: `http://127.0.0.1:${silent.port}/` } };
    const ended = await outpostRun(["c.yaml"], { "c.yaml": file }, { began: (began) => void (child = began) });
    expect(ended).toMatchObject({ signal: "SIGINT", stdout: "" });
  });
});

describe("outpost run, for programs", () => {
  it("prints a line per check with verdict, phases and the result member", async () => {
    const server = await jsonServer();
    const ended = await outpostRun(["c.yaml", "--json"], {
      "c.yaml": [
        { name: "one", request: get(server.url) },
        { checkType: "URL", request: { url: `${server.url}/x`, assertions: [statusIs("404")] } },
      ],
    });
    expect(ended.code).toBe(1);
    const [one, two] = told(ended);
    expect(one).toMatchObject({ name: "one", checkType: "API", verdict: "passed", errorMessage: null, failedBy: null, statusCode: 200 });
    const sum = Object.values(one?.phases ?? {}).reduce<number>((total, ms) => total + (ms ?? 0), 0);
    expect(sum).toBeCloseTo(one?.responseTimeMs ?? 0, 1);
    expect(two).toMatchObject({ name: null, verdict: "failed", apiCheckResult: { assertions: [{ actual: 200 }] } });
  });

  it("says by code and side why there was no answer", async () => {
    const ended = await outpostRun(["c.yaml", "--json"], { "c.yaml": "{checkType: URL, request: {url: 'http://169.254.169.254/'}}" });
    expect(told(ended)).toMatchObject([{ verdict: "failed", failedBy: { code: "EPOLICY" }, phases: { tcp: null } }]);
  });
});

describe("outpost run with each type", () => {
  it("TCP", async () => {
    await using server = await cannedServer("PONG\r\n");
    const check = { checkType: "TCP", request: { hostname: "127.0.0.1", port: server.port, data: "PING\r\n", expect: "PONG" } };
    const { stdout, code } = await outpostRun(["c.yaml"], { "c.yaml": check });
    expect(stdout).toMatch(/^✓ passed {2}TCP 127\.0\.0\.1:/);
    expect(stdout).toMatch(/^ {2}received +"PONG/m);
    expect([code, told(await outpostRun(["c.yaml", "--json"], { "c.yaml": check }))[0]?.phases]).toEqual([
      0,
      { dns: expect.any(Number), connection: expect.any(Number), data: expect.any(Number) },
    ]);
  });

  it("DNS, with the answer as dig prints it", async () => {
    await using server = await dnsServer((name) => (name === "app.test" ? { addresses: ["10.1.2.3"] } : { rcode: "NXDOMAIN" }));
    const check = (query: string): object => ({
      checkType: "DNS",
      request: { query, recordType: "A", nameServer: "127.0.0.1", port: Number(server.address.split(":")[1]) },
    });
    const { stdout, code } = await outpostRun(["c.yaml"], { "c.yaml": check("app.test") });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ +app\.test\.\s+60\s+IN\s+A\s+10\.1\.2\.3$/m)]);
    expect(stdout).toContain("NOERROR");
    expect((await outpostRun(["c.yaml"], { "c.yaml": check("none.test") })).stdout).toContain(
      "expected the response code NOERROR, got NXDOMAIN",
    );
  });

  it("ICMP, with a sparkline and loss, min, avg, max", async (context) => {
    const { stdout, code } = await outpostRun(["c.yaml"], {
      "c.yaml": { checkType: "ICMP", request: { hostname: "127.0.0.1", pingCount: 2 } },
    });
    if (stdout.includes("ECAPABILITY: ")) return context.skip("skipped: this user may not send ICMP");
    expect(stdout).toMatch(/^ {2}pings +[▁▂▃▄▅▆▇█]{2}$/m);
    expect(stdout).toMatch(/loss 0 %, min [\d.]+ ms, avg [\d.]+ ms, max [\d.]+ ms/);
    expect(code).toBe(0);
  });

  it("SSL, with chain and grade", async () => {
    await using server = await serve(createTlsServer(certificates.pair("good")), "secureConnection", (socket) =>
      socket.on("error", () => undefined),
    );
    const check = { checkType: "SSL", request: { sslConfig: { hostname: "localhost", port: server.port, alertDaysBeforeExpiry: 1 } } };
    const env = { NODE_EXTRA_CA_CERTS: `${certificates.folder}/ca.pem` };
    const { stdout, code } = await outpostRun(["c.yaml"], { "c.yaml": check }, { env });
    expect(stdout).toMatch(/^ {2}chain +.*good.*29 days left$/m);
    expect(stdout).toMatch(/^ {2}grade +[A-F]\+? \(\d+ of 100\)$/m);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ {2}trust +trusted/m)]);
    expect((await outpostRun(["c.yaml"], { "c.yaml": check })).code).toBe(1);
  });

  it("GRPC, with status and message", async () => {
    await using server = await shopServer((id) => ({ id, state: "PAID" }));
    const grpcConfig = { tls: false, service: "shop.v1.Orders", method: "Get", message: '{"id": "42"}', protoContent: shopProto };
    const check = (more: object = {}) => ({
      checkType: "GRPC",
      request: { url: "127.0.0.1", port: server.port, grpcConfig: { ...grpcConfig, ...more } },
    });
    const { stdout, code } = await outpostRun(["c.yaml"], { "c.yaml": check() });
    expect(stdout).toMatch(/^✓ passed {2}gRPC 127\.0\.0\.1:\d+ shop\.v1\.Orders\/Get/);
    expect(stdout).toMatch(/^ {2}status +OK \(0\)$/m);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ {2}message +\{"id":"42","state":"PAID"/m)]);
    const failed = await outpostRun(["c.yaml"], { "c.yaml": check({ mode: "HEALTH" }) });
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining("expected the gRPC status OK, got UNIMPLEMENTED (12)")]);
    const wrong = await outpostRun(["c.yaml"], { "c.yaml": check({ method: "Get it", metadata: [{ key: "te", value: "x" }] }) });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/request\.grpcConfig\.method must be the name of a method/)]);
    expect(wrong.stderr).toContain("request.grpcConfig.metadata[0].key is reserved: gRPC itself sets te");
  });

  it("TRACEROUTE, hop by hop", async () => {
    await using server = await rawServer((socket) => void socket.end());
    const request = { url: "127.0.0.1", port: server.port };
    const { stdout, code } = await outpostRun(["c.yaml"], { "c.yaml": { checkType: "TRACEROUTE", request } });
    expect(stdout).toMatch(/^✓ passed {2}path to 127\.0\.0\.1 by TCP/);
    expect(stdout).toMatch(/^ {2}path +1 {2}127\.0\.0\.1, [\d.]+ ms$/m);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ {2}target +open, loss 0 %$/m)]);
    const wrong = await outpostRun(["c.yaml"], { "c.yaml": { checkType: "TRACEROUTE", request: { ...request, protocol: "SCTP" } } });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("request.protocol must be TCP, UDP or ICMP")]);
  });
});

describe("outpost run, like an agent", () => {
  it("keeps to the egress policy, trusts the extra CAs, and needs no key", async () => {
    await using server = await serve(createTlsServer(certificates.pair("good")), "secureConnection", (socket) => {
      socket.on("error", () => undefined).once("data", () => socket.end("HTTP/1.1 204 No Content\r\n\r\n"));
    });
    const files = { "c.yaml": { checkType: "URL", request: { url: `https://127.0.0.1:${server.port}/` } } };
    expect((await outpostRun(["c.yaml"], files)).stdout).toContain("UNABLE_TO_VERIFY_LEAF_SIGNATURE: ");
    expect((await outpostRun(["c.yaml"], files, { env: { NODE_EXTRA_CA_CERTS: certificates.folder } })).stdout).toMatch(/^✓ passed/);
    expect((await outpostRun(["c.yaml"], files, { env: { TARGET_DENY_CIDR: "127.0.0.0/8" } })).stdout).toContain("EPOLICY: ");
  });

  it("goes through a proxy, whose password and the check's own secrets are printed nowhere", async () => {
    const server = await jsonServer();
    await using proxy = await proxyServer({ credentials: basicCredentials("me", "c@nary/one") });
    const headers = [
      { key: "X-Token", value: "canary-two", locked: true },
      { key: "Authorization", value: "Bearer canary-three" },
    ];
    const request = get(`${server.url}/?q=1`, { headers, basicAuth: { username: "u", password: "canary-four" } });
    const through = `http://me:c%40nary%2Fone@127.0.0.1:${proxy.port}`;
    const wrong = `http://me:c%40nary%2Fone@127.0.0.1:1`;
    for (const [words, code] of [
      [["--json", "--proxy", through], 0],
      [["--proxy", through], 0],
      [["--json", "--proxy", wrong], 1],
      [["--proxy", wrong], 1],
    ] as const) {
      const ended = await outpostRun(["c.yaml", ...words], { "c.yaml": { request } });
      expect(ended.code).toBe(code);
      for (const secret of ["c@nary", "c%40nary", "canary-", Buffer.from("me:c@nary/one").toString("base64")])
        expect(ended.stdout + ended.stderr).not.toContain(secret);
    }
    expect(proxy.asked).toEqual([`GET ${server.url}/?q=1`, `GET ${server.url}/?q=1`]);
  });

  it("lets no target steer the terminal", async () => {
    const evil = "\u001b[2J\u009b31mX";
    const body = Buffer.from(JSON.stringify(evil).replace("\u009b", "\u009b"));
    await using server = await cannedServer(
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 O\x9b31mK\r\nContent-Type: a\x9b/b\r\nContent-Length: ${body.length}\r\n\r\n`, "latin1"),
        body,
      ]),
    );
    const assertions = [{ source: "JSON_BODY", comparison: "EQUALS", target: "\u001bx" }];
    const file = { "c.json": JSON.stringify({ name: evil, request: get(`http://127.0.0.1:${server.port}/`, { assertions }) }) };
    for (const words of [["c.json"], ["c.json", "--json"]]) {
      const { stdout } = await outpostRun(words, file);
      expect(stdout).toContain("X");
      expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    }
  });
});

describe("outpost run, told wrongly,", () => {
  it("names every problem of a file with its line, sends nothing and ends with 2", async () => {
    const server = await jsonServer();
    const text = `- {checkType: URL, request: {url: "${server.url}"}}\n- checkType: URL\n  request: {}\n- checkType: NOPE\n`;
    const ended = await outpostRun(["c.yaml"], { "c.yaml": text });
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/^c\.yaml:3:12: request\.url is required\nc\.yaml:4:14: checkType must be one of API, .*"NOPE"\n$/);
    expect(server.connections()).toBe(0);
  });

  it("tells the first problems of many", async () => {
    const { stderr, code } = await outpostRun(["c.yaml"], { "c.yaml": "- 1\n".repeat(500) });
    expect([code, stderr.split("\n").length, stderr]).toEqual([2, 22, expect.stringContaining("and 480 more")]);
  });

  it.each([
    ["no file", [], {}, "usage: outpost run <file>"],
    ["two files", ["a", "b"], {}, "usage: outpost run <file>"],
    ["a file that is not there", ["nowhere.yaml"], {}, "nowhere.yaml cannot be read (ENOENT)"],
    ["a folder", ["."], {}, "cannot be read (EISDIR)"],
    ["something endless", ["/dev/zero"], {}, "/dev/zero is larger than 1048576 bytes"],
    ["an unknown flag", ["c.yaml", "--nope"], {}, "--nope"],
    ["a proxy that is none", ["c.yaml", "--proxy", "socks5://me:canary@h"], {}, "--proxy must be an http or https URL"],
    ["a bad variable", ["c.yaml"], { TARGET_DENY_CIDR: "10.0.0.0/99" }, "TARGET_DENY_CIDR"],
    ["a CA that is none", ["c.yaml"], { NODE_EXTRA_CA_CERTS: "c.yaml" }, "NODE_EXTRA_CA_CERTS: no certificate found in c.yaml"],
  ])("says so of %s and ends with 2", async (_title, words, env, message) => {
    const ended = await outpostRun(words, { "c.yaml": { checkType: "URL", request: { url: "http://127.0.0.1:1/" } } }, { env });
    expect(ended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
    expect(ended.stderr).not.toContain("canary");
  });
});
