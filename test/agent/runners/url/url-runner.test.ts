import { createServer as createTlsServer } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import { ApiCheckResult } from "#contract/checks/api.ts";
import { UrlCheckSettings } from "#contract/checks/url.ts";
import { type JudgedRun, judgedRun } from "../../../../src/agent/judgement/judged-run.ts";
import { createTrust } from "../../../../src/agent/net/tls.ts";
import { createApiRunner } from "../../../../src/agent/runners/api/api-runner.ts";
import { createUrlRunner } from "../../../../src/agent/runners/api/url-runner.ts";
import { makeCertificates } from "../../../support/certificates.ts";
import { type EchoedRequest, echo, httpServer } from "../../../support/http-servers/http-server.ts";
import { serve } from "../../../support/http-servers/raw-server.ts";
import { runContext } from "../../../support/run-context.ts";

const certificates = makeCertificates();
afterAll(() => certificates[Symbol.dispose]());
const trust = createTrust([]);
const runner = createUrlRunner(createApiRunner(() => trust));

async function run(request: object, more: object = {}): Promise<JudgedRun<"URL">> {
  const settings = UrlCheckSettings.parse({ request, degradedResponseTime: null, maxResponseTime: null, ...more });
  const run = await judgedRun("URL", runner, settings, runContext());
  ApiCheckResult.parse(run.observation.result);
  return run;
}

const status = (comparison: string, target: number): object => ({ source: "STATUS_CODE", comparison, target: String(target) });

describe("a URL monitor", () => {
  it("sends a bare GET and passes on an answer below 400", async () => {
    await using server = await httpServer(echo);
    const { observation, verdict } = await run({ url: `${server.url}/a?b=c` });
    expect(verdict).toMatchObject({ hasFailures: false, errorMessage: null });
    const { method, url, body, headers } = JSON.parse(observation.facts.text()) as EchoedRequest;
    expect([method, url, body, headers["content-length"]]).toEqual(["GET", "/a?b=c", "", undefined]);
  });

  it("follows redirects, or takes them as the answer", async () => {
    await using server = await httpServer((request, response) =>
      request.url === "/" ? response.writeHead(301, { location: "/there" }).end() : response.end("there"),
    );
    expect((await run({ url: server.url, assertions: [status("EQUALS", 200)] })).observation).toMatchObject({
      statusCode: 200,
      result: { redirects: [{ status: 301, location: "/there" }], response: { body: "there" } },
    });
    const kept = await run({ url: server.url, followRedirects: false, assertions: [status("EQUALS", 301)] });
    expect(kept).toMatchObject({ observation: { statusCode: 301, result: { redirects: [] } }, verdict: { hasFailures: false } });
  });

  it.each([
    [404, [], false, true],
    [404, [], true, false],
    [404, [status("EQUALS", 404)], false, false],
    [404, [status("LESS_THAN", 400)], true, true],
    [200, [status("GREATER_THAN", 199), status("NOT_EQUALS", 200)], false, true],
    [200, [], true, false],
  ])("with status %i, assertions %j and shouldFail %s fails: %s", async (code, assertions, shouldFail, hasFailures) => {
    await using server = await httpServer((_request, response) => response.writeHead(code).end());
    expect((await run({ url: server.url, assertions }, { shouldFail })).verdict).toMatchObject({ hasFailures, hasErrors: false });
  });

  it("judges the certificate, and with skipSSL still tells what is wrong with it", async () => {
    await using server = await serve(createTlsServer(certificates.pair("expired")), "secureConnection", (socket) => {
      socket.on("error", () => undefined).once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    });
    const url = `https://localhost:${server.port}/`;
    const strict = await run({ url });
    expect(strict).toMatchObject({ assertions: null, verdict: { hasFailures: true, hasErrors: true, networkError: true } });
    const relaxed = await run({ url, skipSSL: true, assertions: [status("EQUALS", 200)] });
    expect(relaxed).toMatchObject({
      verdict: { hasFailures: false },
      observation: { result: { connection: { tls: { authorized: false, daysRemaining: expect.any(Number) } } } },
    });
    expect(strict.observation.failure?.code).toBe(relaxed.observation.result.connection?.tls?.trustError);
  });
});
