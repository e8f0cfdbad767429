import { describe, expect, it } from "vitest";
import type { CauseFacts, OtherCheckFact } from "../../../src/domain/root-causes/cause-facts.ts";
import { findCauses } from "../../../src/domain/root-causes/find-causes.ts";
import { goodRun, minute, place, runFact, scene, t0 } from "./scene.ts";

const kindsOf = (facts: CauseFacts) => findCauses(facts).map(({ kind, confidence }) => `${kind} ${confidence}`);
const firstOf = (facts: CauseFacts) => findCauses(facts)[0];
const failedWith = (code: string, change: Partial<CauseFacts["failure"]["seen"]> = {}) =>
  scene({ failure: runFact({ error: `${code}: something`, seen: { code, ...change } }) });
const other = (checkId: string, host: string | null, ...places: OtherCheckFact["places"]): OtherCheckFact => ({
  checkId,
  name: checkId,
  host,
  places,
});

describe("causes of what one run saw", () => {
  it.each([
    ["ECONNREFUSED", "refused"],
    ["ECONNRESET", "closed"],
    ["EPROTO", "tls"],
    ["EALPN", "tls"],
    ["ESTARTTLS", "tls"],
    ["EPOLICY", "policy"],
    ["EPROXY", "location"],
    ["ENOTFOUND", "name"],
    ["EDNS", "name"],
    ["ECNAMELOOP", "name"],
    ["EHOSTUNREACH", "network"],
    ["EMSGSIZE", "network"],
    ["CERT_HAS_EXPIRED", "certificate"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "certificate"],
    ["CERT_REVOKED", "certificate"],
    ["EMFILE", "agent"],
    ["ESCRIPT", "setup"],
  ])("%s: %s", (code, kind) => {
    expect(firstOf(failedWith(code))).toMatchObject({ kind, confidence: "high" });
  });

  it("a step that took too long is told by where it ended", () => {
    for (const [endedIn, words] of [
      ["tcp", "does not answer connection attempts"],
      ["tls", "TLS handshake hangs"],
      ["firstByte", "does not answer in time"],
    ] as const)
      expect(firstOf(failedWith("ETIMEDOUT", { endedIn, address: "192.0.2.1", port: 443 }))?.text).toContain(words);
    expect(firstOf(failedWith("ETIMEDOUT", { endedIn: "dns" }))?.kind).toBe("name");
  });

  it.each([
    [500, "server-error"],
    [502, "server-error"],
    [401, "access"],
    [403, "access"],
    [404, "missing-page"],
    [429, "rate-limit"],
    [422, "answer-changed"],
    [302, "redirect"],
  ])("status %i after 200: %s", (statusCode, kind) => {
    const [first] = findCauses(scene({ failure: runFact({ error: `status ${statusCode}`, seen: { statusCode } }) }));
    expect(first?.kind).toBe(kind);
    expect(first?.text).toContain("(200 in the last good run)");
  });

  it("the same status as in the good run says nothing", () => {
    expect(kindsOf(scene({ failure: runFact({ seen: { statusCode: 200 } }) }))).toEqual([]);
  });

  it("a redirect to a sign-in page is a refusal", () => {
    const seen = { statusCode: 404, redirectedTo: "https://sso.example/login" };
    expect(firstOf(scene({ failure: runFact({ seen }) }))?.kind).toBe("access");
  });

  it("an assertion that no longer fits is told with its words", () => {
    const seen = { statusCode: 200, failedAssertions: ["expected $.stock to equal 3"] };
    expect(firstOf(scene({ failure: runFact({ seen }) }))).toMatchObject({ kind: "answer-changed", confidence: "high" });
    expect(firstOf(scene({ failure: runFact({ seen }) }))?.text).toContain("expected $.stock to equal 3");
  });

  it("slowness is told against the usual time", () => {
    const failure = runFact({ error: "response time 900 ms is above 500 ms", responseTimeMs: 900, seen: { statusCode: 200 } });
    expect(firstOf(scene({ failure }))).toMatchObject({ kind: "slow", confidence: "high" });
    expect(firstOf(scene({ failure }))?.text).toContain("900 ms, where good runs took 100 ms");
  });

  it("a traceroute tells a filtered port from a way that is cut", () => {
    const failed = failedWith("ETIMEDOUT", { endedIn: "tcp" });
    const traced = (conclusion: string) => findCauses({ ...failed, trace: { file: "traceroute.txt", conclusion } })[0];
    expect(traced("silence after hop 3 (10.0.0.1)")).toMatchObject({
      kind: "network",
      evidence: [{ of: { kind: "result", file: "traceroute.txt" } }],
    });
    expect(traced("silence after hop 3 (10.0.0.1); ICMP reaches 192.0.2.1 in 4 hops, so TCP to port 443 is filtered")?.text).toContain(
      "filters the port",
    );
    expect(traced("reached 192.0.2.1 in 4 hops: port 443 is open now")).toBeUndefined();
  });

  it("a name that leads elsewhere is told, unless good runs met many addresses", () => {
    const failure = runFact({ error: "status 500", seen: { statusCode: 200, address: "192.0.2.9" } });
    const good = [goodRun({ address: "192.0.2.1" }), goodRun({ address: "192.0.2.1" })];
    expect(kindsOf(scene({ failure, good }))).toEqual(["address medium"]);
    expect(kindsOf(scene({ failure, good: [...good, goodRun({ address: "192.0.2.2" })] }))).toEqual(["address low"]);
    expect(kindsOf(scene({ failure, good: [goodRun({ address: "192.0.2.9" })] }))).toEqual([]);
  });

  it("a DNS answer that rotates is no change to speak of", () => {
    const dns = (...answers: string[]) => ({ dns: { code: "NOERROR", answers, server: "192.0.2.53:53" } });
    const check = { id: "shop", name: "Shop", type: "DNS", host: "shop.example" } as const;
    const failure = runFact({ seen: dns("A 192.0.2.9") });
    expect(kindsOf(scene({ check, failure, good: [goodRun(dns("A 192.0.2.1"))] }))).toEqual(["name high"]);
    expect(kindsOf(scene({ check, failure, good: [goodRun(dns("A 192.0.2.1")), goodRun(dns("A 192.0.2.9"))] }))).toEqual(["name low"]);
  });

  it("a certificate that ends soon is told where the check looks at it, and surest where that is what failed", () => {
    const certificate = { problem: null, validTo: null, daysLeft: 9.5, fingerprint: null, isSubject: true };
    const failed = (error: string, seen: object) => kindsOf(scene({ failure: runFact({ error, seen: { ...seen } }) }));
    expect(failed("the certificate expires in 9 days", { certificate })).toEqual(["certificate high"]);
    expect(failed("grade C", { certificate })).toEqual(["certificate medium"]);
    expect(failed("grade C", { certificate: { ...certificate, daysLeft: 90 } })).toEqual([]);
    expect(failed("status 500", { certificate: { ...certificate, isSubject: false } })).toEqual([]);
  });

  it("a path that changed, or ends early, is told with its hops", () => {
    const path = (...hops: string[]) => ({ protocol: "TCP", target: "192.0.2.1", isReached: true, hops: hops.map((hop) => [hop]) });
    const good = [goodRun({ path: path("10.0.0.1", "10.0.0.2", "192.0.2.1") })];
    const failure = runFact({ error: "slow", seen: { path: path("10.0.0.1", "10.9.9.9", "192.0.2.1") } });
    expect(findCauses(scene({ failure, good }))[0]).toMatchObject({ kind: "network", confidence: "medium" });
    expect(findCauses(scene({ failure, good }))[0]?.text).toContain("hop 2 is 10.9.9.9 instead of 10.0.0.2");
    const ended = runFact({ seen: { path: path("10.0.0.1"), pathEnd: "nobody answers behind hop 1 (10.0.0.1)" } });
    expect(kindsOf(scene({ failure: ended, good }))).toEqual(["network high"]);
    expect(kindsOf(scene({ failure: runFact({ seen: { packetLoss: 40 } }) }))).toEqual(["network high"]);
  });

  it("a script is told by the request that failed in it, else by its own words", () => {
    const failed = (script: { error: string; request: string | null }) => firstOf(scene({ failure: runFact({ seen: { script } }) }))?.text;
    expect(failed({ error: "no button", request: "https://api.example/cart answered 500" })).toContain(
      "https://api.example/cart answered 500",
    );
    expect(failed({ error: "no button", request: null })).toContain("no button");
  });
});

describe("causes of what many checks share", () => {
  const refused = failedWith("ECONNREFUSED");

  it("a host comes first when all of its checks fail, and not at all when most of them pass", () => {
    const down = [other("cart", "shop.example", place("Berlin", true)), other("search", "shop.example", place("Berlin", true))];
    expect(kindsOf({ ...refused, others: down })).toEqual(["host high", "refused high"]);
    const up = [1, 2, 3].map((n) => other(`up-${n}`, "shop.example", place("Berlin", false)));
    expect(kindsOf({ ...refused, others: [...down, ...up] })).toEqual(["refused high"]);
    expect(kindsOf({ ...refused, others: [other("mail", "mail.example", place("Berlin", true))] })).toEqual(["refused high"]);
  });

  it.each(["EBADURL", "ESUITE", "ETEMPLATE", "ESCRIPT"])("%s sent nothing, so what fails beside it is no cause", (code) => {
    const others = ["a", "b", "c"].map((name) => other(name, `${name}.example`, place("Berlin", true)));
    expect(kindsOf({ ...failedWith(code), others })).toEqual(["setup high"]);
  });

  it("a location comes first when checks of several hosts fail there alone", () => {
    const places = [place("Berlin", true), place("Paris", false)];
    const others = ["a", "b", "c"].map((name) => other(name, `${name}.example`, ...places));
    expect(kindsOf({ ...refused, places, others })).toEqual(["location high", "refused high"]);
    const everywhere = ["a", "b", "c"].map((name) => other(name, `${name}.example`, place("Berlin", true), place("Paris", true)));
    expect(kindsOf({ ...refused, places: [place("Berlin", true), place("Paris", true)], others: everywhere })).toEqual(["refused high"]);
  });

  it("a check that fails at one of its locations says so", () => {
    const places = [place("Berlin", true), place("Paris", false), place("Oslo", false)];
    const [, second] = findCauses({ ...refused, places });
    expect(second).toMatchObject({ kind: "location", confidence: "medium" });
    expect(second?.text).toContain("passes at Paris and Oslo");
  });
});

describe("causes of what was around a run", () => {
  it("what changed before it began is told last, what changed after it not at all", () => {
    const change = { what: "check", by: "ada@example.com", fields: ["request"] } as const;
    const changes = [
      { ...change, atMs: t0 + 5 * minute },
      { ...change, atMs: t0 - 3 * minute },
    ];
    const causes = findCauses({ ...failedWith("ECONNREFUSED"), changes });
    expect(causes.map(({ kind }) => kind)).toEqual(["refused", "edit"]);
    expect(causes[1]?.text).toBe("ada@example.com changed the check (request) 3 minutes before it began to fail.");
    expect(causes[1]?.evidence[0]).toEqual({
      says: expect.stringContaining("2026-11-26 11:57 UTC"),
      of: { kind: "audit-log", atMs: t0 - 3 * minute },
    });
  });

  it("maintenance, another agent version and the agent's own trouble are told", () => {
    const windows = [{ name: "Upgrade", startsAtMs: t0 - minute, endsAtMs: t0 + minute, pauses: false, silences: true }];
    const agentChange = { before: "1.0.0", after: "2.0.0", atMs: t0 - minute };
    expect(kindsOf(scene({ windows, agentChange }))).toEqual(["maintenance medium", "agent-version low"]);
    expect(kindsOf(scene({ failure: runFact({ agentSide: true }) }))).toEqual(["agent high"]);
    expect(kindsOf(scene({ windows: [{ ...windows[0]!, endsAtMs: t0 - 1 }] }))).toEqual([]);
  });

  it("tells at most six, each with evidence", () => {
    const change = { what: "variable", by: "ada", fields: [], atMs: t0 - minute } as const;
    const places = [place("Berlin", true), place("Paris", false)];
    const others = ["a", "b", "c"].map((name) => other(name, "shop.example", ...places));
    const windows = [{ name: "Upgrade", startsAtMs: t0 - minute, endsAtMs: t0 + minute, pauses: false, silences: true }];
    const agentChange = { before: "1", after: "2", atMs: t0 };
    const causes = findCauses({ ...failedWith("ECONNREFUSED"), places, others, windows, agentChange, changes: [change, change, change] });
    expect(causes).toHaveLength(6);
    for (const { evidence } of causes) expect(evidence.length).toBeGreaterThan(0);
  });
});
