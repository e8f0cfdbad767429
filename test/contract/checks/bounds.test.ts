import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { createCheck } from "#contract/checks/operations.ts";
import { storedCheckTypes } from "#contract/checks/stored-types.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { requests } from "../bodies.ts";

const { API, BROWSER, DNS, GRPC, HEARTBEAT, PLAYWRIGHT } = storedCheckTypes;
const api = (extra: object) => ({ name: "a", request: { ...requests.API, ...extra } });
const script = (extra: object) => ({ name: "a", script: "1", ...extra });
const many = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
const assertion = { source: "STATUS_CODE", comparison: "EQUALS", target: "200" };
const text = (length: number): string => "x".repeat(length);

describe("the bounds of what users can send", () => {
  it.each<{ what: string; schema: z.ZodType; fits: object; over: object; path: string }>([
    { what: "a name", schema: API.create, fits: { ...api({}), name: text(255) }, over: { ...api({}), name: text(256) }, path: "name" },
    {
      what: "tags",
      schema: API.create,
      fits: { ...api({}), tags: many(500, "a") },
      over: { ...api({}), tags: many(501, "a") },
      path: "tags",
    },
    { what: "a tag", schema: API.create, fits: { ...api({}), tags: [text(255)] }, over: { ...api({}), tags: [text(256)] }, path: "tags.0" },
    {
      what: "private locations",
      schema: API.create,
      fits: { ...api({}), privateLocations: many(128, "a") },
      over: { ...api({}), privateLocations: many(129, "a") },
      path: "privateLocations",
    },
    { what: "a body", schema: API.create, fits: api({ body: text(524_288) }), over: api({ body: text(524_289) }), path: "request.body" },
    {
      what: "headers",
      schema: API.create,
      fits: api({ headers: many(200, { key: "a" }) }),
      over: api({ headers: many(201, { key: "a" }) }),
      path: "request.headers",
    },
    {
      what: "a header",
      schema: API.create,
      fits: api({ headers: [{ key: "a", value: text(65_536) }] }),
      over: api({ headers: [{ key: "a", value: text(65_537) }] }),
      path: "request.headers.0.value",
    },
    {
      what: "assertions",
      schema: API.update,
      fits: { request: { ...requests.API, assertions: many(200, assertion) } },
      over: { request: { ...requests.API, assertions: many(201, assertion) } },
      path: "request.assertions",
    },
    {
      what: "a target",
      schema: API.create,
      fits: api({ assertions: [{ ...assertion, target: text(10_000) }] }),
      over: api({ assertions: [{ ...assertion, target: text(10_001) }] }),
      path: "request.assertions.0.target",
    },
    {
      what: "a setup script",
      schema: API.create,
      fits: { ...api({}), localSetupScript: text(262_144) },
      over: { ...api({}), localSetupScript: text(262_145) },
      path: "localSetupScript",
    },
    {
      what: "a script that nothing runs",
      schema: API.create,
      fits: { ...api({}), script: text(262_144) },
      over: { ...api({}), script: text(262_145) },
      path: "script",
    },
    {
      what: "a script",
      schema: BROWSER.create,
      fits: script({ script: text(262_144) }),
      over: script({ script: text(262_145) }),
      path: "script",
    },
    {
      what: "variables",
      schema: BROWSER.update,
      fits: script({ environmentVariables: many(200, { key: "a", value: "" }) }),
      over: script({ environmentVariables: many(201, { key: "a", value: "" }) }),
      path: "environmentVariables",
    },
    {
      what: "files",
      schema: BROWSER.create,
      fits: script({ dependencies: many(300, { path: "a", content: "1" }) }),
      over: script({ dependencies: many(301, { path: "a", content: "1" }) }),
      path: "dependencies",
    },
    {
      what: "browsers",
      schema: PLAYWRIGHT.create,
      fits: { name: "a", browsers: many(10, "chromium") },
      over: { name: "a", browsers: many(11, "chromium") },
      path: "browsers",
    },
    {
      what: "metadata",
      schema: GRPC.create,
      fits: { name: "a", request: { url: "a", grpcConfig: { metadata: many(50, { key: "a", value: "" }) } } },
      over: { name: "a", request: { url: "a", grpcConfig: { metadata: many(51, { key: "a", value: "" }) } } },
      path: "request.grpcConfig.metadata",
    },
  ])("$what", ({ schema, fits, over, path }) => {
    expect(schema.safeParse(fits).error).toBeUndefined();
    expect(schema.safeParse(over).error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });

  it("does not look into what means nothing for the type", () => {
    const heartbeat = { period: 1, periodUnit: "hours", grace: 0, graceUnit: "hours" };
    const noise = { script: 5, environmentVariables: "many", heartbeat: 0, setupSnippetId: {}, id: [], created_at: false, scriptPath: "" };
    const dns = { name: "a", request: requests.DNS };
    expect(JSON.stringify(DNS.create.parse({ ...dns, ...noise }))).toBe(JSON.stringify(DNS.create.parse(dns)));
    expect(JSON.stringify(DNS.update.parse(noise))).toBe("{}");
    const unused = {
      ...noise,
      heartbeat,
      request: 5,
      frequency: 7,
      frequencyOffset: 0,
      locations: "all",
      maxResponseTime: -1,
      doubleCheck: 1,
    };
    expect(JSON.stringify(HEARTBEAT.create.parse({ name: "a", ...unused }))).toBe(
      JSON.stringify(HEARTBEAT.create.parse({ name: "a", heartbeat })),
    );
  });

  it("is the same in the form that names the type, which takes every type", () => {
    const types = Object.keys(storedCheckTypes) as CheckTypeName[];
    expect(createCheck.body.options.map((option) => option.shape.checkType.value).toSorted()).toEqual(types.toSorted());
    for (const checkType of types) {
      const named = storedCheckTypes[checkType].createOfType.shape;
      expect(Object.keys(named)).toEqual(Object.keys(storedCheckTypes[checkType].create.shape));
      expect(named.checkType.safeParse(undefined).success).toBe(false);
    }
  });
});
