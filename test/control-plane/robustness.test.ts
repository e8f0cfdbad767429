import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Operation } from "#contract/operation.ts";
import { agentOperations, operations } from "#contract/operations.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "./control-plane-under-test.ts";
import { FakeAgent } from "./fake-agent.ts";

const all: readonly Operation[] = [...operations, ...agentOperations];
const long = "x".repeat(900_000);
const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
const badBodies: readonly (readonly [string, string | Buffer])[] = [
  ["null", "null"],
  ["a number", "7"],
  ["an array", "[]"],
  ["a text", '"x"'],
  ["nothing", "{}"],
  ["half of JSON", '{"name":'],
  ["deep JSON", deep],
  [
    "wrong types",
    '{"name":1,"slugName":[],"request":"x","target":7,"running":{},"reports":7,"jobs":null,"events":"x","protocol":"1","max":{}}',
  ],
  [
    "nulls",
    '{"name":null,"slugName":null,"request":null,"target":null,"running":null,"reports":null,"jobs":null,"events":null,"sequenceId":null}',
  ],
  ["long texts", JSON.stringify({ name: long, slugName: "a" })],
  ["invalid UTF-8", Buffer.from([0x22, 0xff, 0x22])],
  ["read-only fields", '{"id":"x","created_at":1,"alertChannels":7,"checkType":"DNS"}'],
  ["a deep member", `{"name":"a","locations":["eu-west-1"],"request":{"method":"GET","url":"http://a/","x":${deep}}}`],
];

describe("every operation answers bad input as the client's own mistake", () => {
  let plane: ControlPlaneUnderTest;
  let sessionToken = "";
  let locationKey = "";
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    locationKey = await plane.locationKey("eu-west-1");
    sessionToken = (await FakeAgent.open(plane.base, locationKey)).session.sessionToken;
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const keyOf = ({ access }: Operation): string =>
    ({ "agent-key": locationKey, "agent-session": sessionToken })[access as string] ?? plane.ownerKey;
  const pathOf = ({ path }: Operation, value: string): string => path.replace(/\{\w+\}/g, encodeURIComponent(value));

  it.each(all.filter(({ body }) => body !== undefined))("$id: bodies", async (operation) => {
    for (const [name, body] of badBodies) {
      const { status } = await plane.call(operation.method, pathOf(operation, crypto.randomUUID()), { key: keyOf(operation), body });
      expect([name, status < 500]).toEqual([name, true]);
    }
  });

  it.each(all.filter(({ path, method }) => path.includes("{") || method === "GET"))("$id: addresses", async (operation) => {
    const values = [
      "x",
      "' or 1=1 --",
      "../../etc",
      "\u0000",
      "💥",
      "9".repeat(99),
      "a".repeat(250),
      "00000000-0000-8001-8fff-ffffffffffff",
    ];
    for (const value of values) {
      const query = [
        "limit",
        "page",
        "from",
        "to",
        "nextId",
        "fields",
        "tag",
        "status",
        "maxWaitSeconds",
        "versions",
        "search",
        "apiCheckUrlFilterPattern",
      ]
        .map((name) => `${name}=${encodeURIComponent(value)}`)
        .join("&");
      for (const suffix of [
        "",
        `?${query}`,
        `?search=${encodeURIComponent(value)}&apiCheckUrlFilterPattern=${encodeURIComponent(value)}&tag=${encodeURIComponent(value)}`,
      ]) {
        const options = { key: keyOf(operation), ...(operation.method !== "GET" && { body: {} }) };
        const { status } = await plane.call(operation.method, `${pathOf(operation, value)}${suffix}`, options);
        expect([value, suffix.slice(0, 20), status < 500]).toEqual([value, suffix.slice(0, 20), true]);
      }
    }
  });

  it("has logged no failed request", () => {
    expect(plane.logLines.filter((line) => line.includes("request failed"))).toEqual([]);
  });
});
