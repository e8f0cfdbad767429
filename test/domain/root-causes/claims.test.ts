import { describe, expect, it } from "vitest";
import { acceptedClaims } from "../../../src/domain/root-causes/claims.ts";

const evidence = [
  { says: "The newest failed run at Berlin: ECONNREFUSED: connect ECONNREFUSED 192.0.2.1:443", of: { kind: "message" } as const },
  { says: "ada@example.com deployed at 2026-11-26 11:57 UTC", of: { kind: "audit-log", atMs: 1 } as const },
];
const answer = (...claims: readonly unknown[]): string => JSON.stringify({ claims });
const good = { text: "The deployment stopped the service.", evidence: ["E2"], quote: "ada@example.com deployed" };

describe("claims of a model", () => {
  it("count with a piece of evidence and words out of it, however the answer is wrapped", () => {
    const expected = { claims: [{ text: good.text, evidence: [evidence[1]] }], dropped: 0 };
    expect(acceptedClaims(answer(good), evidence)).toEqual(expected);
    expect(acceptedClaims(`Here you are:\n\`\`\`json\n${answer(good)}\n\`\`\``, evidence)).toEqual(expected);
    expect(acceptedClaims(answer({ ...good, quote: "ADA@example.com\n deployed", evidence: ["E2", "E9"] }), evidence)).toEqual(expected);
  });

  it.each([
    ["no evidence", { ...good, evidence: [] }],
    ["evidence that is not there", { ...good, evidence: ["E3"] }],
    ["evidence by another name", { ...good, evidence: ["e2", 2, null] }],
    ["words that stand nowhere", { ...good, quote: "the disk is full" }],
    ["words of another piece", { ...good, quote: "ECONNREFUSED" }],
    ["hardly any words", { ...good, quote: "ada" }],
    ["no words at all", { text: good.text, evidence: ["E2"] }],
    ["no text", { ...good, text: " \n " }],
    ["an address that no evidence has", { ...good, text: "See https://evil.example/fix for the fix." }],
    ["an address without its scheme", { ...good, text: "See www.evil.example for the fix." }],
    ["another form", "The deployment stopped the service."],
    ["nothing", null],
  ])("are dropped with %s", (_what, claim) => {
    expect(acceptedClaims(answer(claim, good), evidence)).toMatchObject({ claims: [{ text: good.text }], dropped: 1 });
  });

  it("are five at most, each on one line of at most 500 characters", () => {
    const many = Array.from({ length: 9 }, () => ({ ...good, text: `first\nsecond ${"x".repeat(2_000)}` }));
    const { claims, dropped } = acceptedClaims(answer(...many), evidence) ?? { claims: [], dropped: 0 };
    expect([claims.length, dropped]).toEqual([5, 4]);
    for (const { text } of claims) expect([text.length <= 500, text.includes("\n")]).toEqual([true, false]);
  });

  it.each(["", "no JSON", "{", "}{", "[]", '{"claims": 5}', '{"claims": [', "{}"])("are none in %j", (text) => {
    expect(acceptedClaims(text, evidence)).toBeNull();
  });
});
