import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CheckResultListQuery } from "#contract/check-results.ts";
import { TriggerRequest } from "#contract/check-sessions.ts";
import { CheckListQuery } from "#contract/checks/operations.ts";
import { tellIssue } from "#contract/issue-sentences.ts";
import { Limit, Page, QueryBoolean, QueryTime } from "#contract/primitives.ts";
import { getPrivateLocationMetrics, PrivateLocationCreate, SlugName } from "#contract/private-locations.ts";

describe("query parameters", () => {
  it("have the defaults of the check list", () => {
    expect(CheckListQuery.parse({})).toEqual({ limit: 10, page: 1, applyGroupSettings: false });
  });

  it.each([
    { given: "a", expected: ["a"] },
    { given: "a,b", expected: ["a", "b"] },
    { given: ["a", "b"], expected: ["a", "b"] },
    { given: ["a,b", "c"], expected: ["a", "b", "c"] },
    { given: "", expected: [] },
  ])("read tag=$given as $expected", ({ given, expected }) => {
    expect(CheckListQuery.parse({ tag: given }).tag).toEqual(expected);
  });

  it("select fields of results, and refuse those that do not exist", () => {
    expect(CheckResultListQuery.parse({ fields: "id,createdAt" }).fields).toEqual(["id", "createdAt"]);
    expect(CheckResultListQuery.safeParse({ fields: "id,nothing" }).error?.issues[0]?.path).toEqual(["fields", 1]);
  });

  it.each([
    { given: "true", expected: true },
    { given: "false", expected: false },
    { given: "1", expected: true },
    { given: "yes", expected: undefined },
    { given: "", expected: undefined },
  ])("read the flag $given as $expected", ({ given, expected }) => {
    expect(QueryBoolean.safeParse(given).data).toBe(expected);
  });

  it.each([
    { schema: Limit, given: "0" },
    { schema: Limit, given: "101" },
    { schema: Limit, given: "2.5" },
    { schema: Limit, given: "many" },
    { schema: Page, given: "0" },
    { schema: Page, given: "-1" },
  ])("refuse $given as limit or page", ({ schema, given }) => {
    expect(schema.safeParse(given).success).toBe(false);
  });

  it("read a timestamp the same in seconds and in milliseconds", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1e8 + 1, max: 1e11 }), (seconds) => {
        expect(QueryTime.parse(String(seconds))).toBe(seconds * 1000);
        expect(QueryTime.parse(String(seconds * 1000))).toBe(seconds * 1000);
      }),
    );
  });

  it.each([
    ["2026-05-01", "2026-05-01T00:00:00Z"],
    ["2026-05-01T12:00:00Z", "2026-05-01T12:00:00Z"],
    ["2026-05-01T12:00:00.250+02:00", "2026-05-01T10:00:00.250Z"],
  ])("read a day or an instant as a time: %s", (given, instant) => {
    expect(QueryTime.parse(given)).toBe(Date.parse(instant));
  });

  it("refuse what is no time in one sentence", () => {
    const told = (from?: string) => {
      const { error } = z.object({ from: QueryTime }).safeParse({ from }, { reportInput: true });
      return error?.issues.map((issue) => tellIssue(issue).message);
    };
    const rule =
      "must be a unix timestamp (seconds or milliseconds), a day like 2026-05-01, or an ISO 8601 instant like 2026-05-01T12:00:00Z";
    for (const given of ["", "soon", "-1", "2026-05-01T12:00:00"]) expect(told(given)).toEqual([`${rule}, received "${given}"`]);
    expect(told()).toEqual(["is required"]);
  });

  it.each(["FINAL", "ATTEMPT", "ALL", "MISSED"])("accept resultType=%s", (resultType) => {
    expect(CheckResultListQuery.parse({ resultType }).resultType).toBe(resultType);
  });

  it("list only FINAL results unless told otherwise", () => {
    expect(CheckResultListQuery.parse({}).resultType).toBe("FINAL");
  });

  it.each([
    { given: "2026-05-01", expected: Date.UTC(2026, 4, 1) },
    { given: "2026-05-01T12:00:00+02:00", expected: Date.UTC(2026, 4, 1, 10) },
    { given: "yesterday", expected: undefined },
  ])("read the metrics' from=$given as $expected", ({ given, expected }) => {
    expect(getPrivateLocationMetrics.query.safeParse({ from: given, to: "2026-05-02" }).data?.from).toBe(expected);
  });
});

describe("trigger bodies", () => {
  const id = "0d3f4b2e-6c1a-4f7e-9a51-1f2e3d4c5b6a";

  it.each([
    { body: undefined, expected: { refreshCache: false, updateSnapshots: false } },
    { body: {}, expected: { refreshCache: false, updateSnapshots: false } },
    { body: { target: { checkId: id } }, expected: { target: { checkId: [id] }, refreshCache: false, updateSnapshots: false } },
    { body: { target: { checkId: [id] } }, expected: { target: { checkId: [id] }, refreshCache: false, updateSnapshots: false } },
    {
      body: { target: { matchTags: [["shop", "!slow"], ["api"]] } },
      expected: { target: { matchTags: [["shop", "!slow"], ["api"]] }, refreshCache: false, updateSnapshots: false },
    },
  ])("read $body", ({ body, expected }) => {
    expect(TriggerRequest.parse(body)).toEqual(expected);
  });

  it("refuse a flat list of tags", () => {
    const { error } = TriggerRequest.safeParse({ target: { matchTags: ["shop"] } });
    expect(error?.issues[0]?.path).toEqual(["target", "matchTags", 0]);
  });
});

describe("private locations", () => {
  it.each([
    { slug: "office", ok: true },
    { slug: "Office-2", ok: true },
    { slug: "x".repeat(30), ok: true },
    { slug: "x".repeat(31), ok: false },
    { slug: "", ok: false },
    { slug: "my office", ok: false },
    { slug: "eu-west-1", ok: false },
    { slug: "us-gov-east-1", ok: false },
  ])("slug name $slug is accepted: $ok", ({ slug, ok }) => {
    expect(SlugName.safeParse(slug).success).toBe(ok);
  });

  it("get an icon and no proxy unless told otherwise", () => {
    expect(PrivateLocationCreate.parse({ name: "Office", slugName: "office" })).toEqual({
      name: "Office",
      slugName: "office",
      icon: "location",
    });
  });
});
