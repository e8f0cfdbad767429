import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeStaple, type OcspStatus } from "../../../../src/agent/runners/ssl/ocsp-staple.ts";
import { Authority } from "./authority.ts";

const missing = existsSync("/usr/bin/openssl") ? null : "/usr/bin/openssl is not installed";
if (missing !== null) process.stdout.write(`OCSP staples are not judged: ${missing}\n`);

describe.skipIf(missing !== null)("an OCSP staple", () => {
  let authority: Authority;
  let judgedAt: (nowMs: number) => OcspStatus;
  let [fromMs, toMs] = [0, 0];

  beforeAll(() => {
    authority = new Authority().issue("leaf");
    const staple = readFileSync(authority.staple("leaf", { issuer: "root", out: "staple.der" }));
    const [leaf, root] = ["leaf", "root"].map((name) => new X509Certificate(authority.read(`${name}.pem`)));
    judgedAt = (nowMs) => judgeStaple(staple, leaf as X509Certificate, root as X509Certificate, nowMs);
    [fromMs, toMs] = daysOf(staple);
  });
  afterAll(() => authority?.[Symbol.dispose]());

  it("counts from five minutes before its first moment to five minutes after its last, as clocks differ", () => {
    expect(toMs - fromMs).toBe(86_400_000);
    const moments = [fromMs - 300_001, fromMs - 300_000, fromMs, toMs, toMs + 300_000, toMs + 300_001];
    expect(moments.map(judgedAt)).toEqual(["invalid", "good", "good", "good", "good", "invalid"]);
  });
});

/** The second and third instant in a response: it was made, is true from, and is true to. */
function daysOf(staple: Buffer): [number, number] {
  const instants = staple.toString("latin1").matchAll(/(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z/g);
  const [, from = 0, to = 0] = [...instants].map(([, ...parts]) => {
    const [year = 0, month = 0, ...rest] = parts.map(Number);
    return Date.UTC(year, month - 1, ...rest);
  });
  return [from, to];
}
