import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { httpServer } from "../../../support/http-servers/http-server.ts";
import { type Nginx, noNginx, startNginx } from "../../../support/nginx.ts";
import { responseOf } from "../../../support/run-context.ts";
import { apiChecks } from "./api-check.ts";

const curlPath = "/usr/bin/curl";
const noCurl = existsSync(curlPath) ? null : `${curlPath} is not installed`;
const needs = (context: TestContext, ...missing: (string | null)[]): void => {
  const reason = missing.find((why) => why !== null);
  if (reason !== undefined) context.skip(`skipped: ${reason}`);
};

/** Phases as curl measures them, ms. */
async function curlPhases(...args: string[]): Promise<Record<"tcp" | "tls" | "firstByte" | "download", number>> {
  const format = "%{time_namelookup} %{time_connect} %{time_appconnect} %{time_starttransfer} %{time_total}";
  const { stdout } = await promisify(execFile)(curlPath, ["-sk", "--noproxy", "*", "-o", "/dev/null", "-w", format, ...args]);
  const [lookup = 0, connect = 0, secured = 0, first = 0, total = 0] = stdout.split(" ").map((seconds) => Number(seconds) * 1_000);
  const tls = secured === 0 ? 0 : secured - connect;
  return { tcp: connect - lookup, tls, firstByte: first - connect - tls, download: total - first };
}

const phaseNames = ["tcp", "tls", "firstByte", "download"] as const;
type ComparedPhases = Readonly<Record<(typeof phaseNames)[number], number>>;

/** The phases that differ by 15 ms or more. */
function farApart(ours: ComparedPhases, theirs: ComparedPhases): string[] {
  return phaseNames.filter((name) => Math.abs(ours[name] - theirs[name]) >= 15).map((name) => `${name}: ${ours[name]} and ${theirs[name]}`);
}

/**
 * What is far apart in each of up to ten pairs, until nothing is. A busy machine halts one of the two now and then; what we measure wrongly, we
 * measure wrongly each time.
 */
async function comparedToCurl(run: ReturnType<typeof apiChecks>, url: string): Promise<readonly (readonly string[])[]> {
  const apart: (readonly string[])[] = [];
  while (apart.length < 10 && apart.at(-1)?.length !== 0) {
    const theirs = await curlPhases(url);
    apart.push(farApart(responseOf(await run({ url })).timingPhases, theirs));
  }
  return apart;
}

describe("beside curl", () => {
  it("an API check sees the same phases, within 15 ms", async (context) => {
    needs(context, noCurl);
    await using server = await httpServer((_request, response) => {
      setTimeout(() => {
        response.write("first part");
        setTimeout(() => response.end("last part"), 50);
      }, 80);
    });
    expect(await comparedToCurl(apiChecks(), server.url)).toContainEqual([]);
  });
});

describe("against a real nginx", () => {
  let nginx: Nginx | undefined;
  beforeAll(async () => {
    if (noNginx === null) nginx = await startNginx();
  });
  afterAll(async () => nginx?.[Symbol.asyncDispose]());
  const started = (context: TestContext): Nginx => {
    needs(context, noNginx);
    return nginx ?? expect.fail("nginx did not start");
  };

  it("reads a plain answer", async (context) => {
    const { httpPort } = started(context);
    const seen = await apiChecks()({ url: `http://127.0.0.1:${httpPort}/` });
    expect(seen).toMatchObject({ failure: null, statusCode: 200, result: { response: { body: "hello from nginx\n" } } });
    expect((await apiChecks()({ url: `http://localhost:${httpPort}/teapot` })).statusCode).toBe(418);
  });

  it("takes nginx's 400 on its TLS port for what it is, an answer", async (context) => {
    const { tlsPorts } = started(context);
    expect(await apiChecks()({ url: `http://127.0.0.1:${tlsPorts.good}/` })).toMatchObject({ failure: null, statusCode: 400 });
  });

  it("and TLS to its plain port for EPROTO", async (context) => {
    const { httpPort } = started(context);
    expect((await apiChecks()({ url: `https://localhost:${httpPort}/` })).failure).toMatchObject({ code: "EPROTO" });
  });

  it("trusts a certificate by the authority it was given, and only then", async (context) => {
    const { tlsPorts, certificates } = started(context);
    const url = `https://localhost:${tlsPorts.good}/`;
    expect((await apiChecks([certificates.ca])({ url })).failure).toBeNull();
    expect((await apiChecks()({ url })).failure).toMatchObject({ code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
  });

  it.for([
    ["expired", "CERT_HAS_EXPIRED"],
    ["wrongHost", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["selfSigned", "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ] as const)("refuses its %s certificate as %s", async ([name, code], context) => {
    const { tlsPorts, certificates } = started(context);
    const seen = await apiChecks([certificates.ca])({ url: `https://localhost:${tlsPorts[name]}/` });
    expect(seen.failure).toMatchObject({ code });
    expect(seen.result.connection?.tls?.validTo).toMatch(/^\d{4}-.*Z$/);
  });

  it("measures a handshake as curl does, within 15 ms", async (context) => {
    needs(context, noCurl);
    const { tlsPorts, certificates } = started(context);
    const url = `https://localhost:${tlsPorts.good}/`;
    const run = apiChecks([certificates.ca]);
    await run({ url });
    const ours = responseOf(await run({ url })).timingPhases;
    expect(await comparedToCurl(run, url)).toContainEqual([]);
    expect(ours.wait + ours.dns + ours.tcp + ours.tls + ours.firstByte + ours.download).toBeCloseTo(ours.total, 2);
  });
});
