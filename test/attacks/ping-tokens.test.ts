import { afterAll, describe, expect } from "vitest";
import { controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { attack } from "./attack.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

describe.each(engines.list)("ping tokens on $name", ({ databaseUrl }) => {
  attack("D3", "another tenant gives heartbeats tokens until one is taken, to ping in its place", async (held) => {
    const url = await databaseUrl();
    const env = { RATE_LIMIT_UNKNOWN_PINGS: "3/60", ...(url !== undefined && { DATABASE_URL: url }) };
    await using plane = await controlPlaneUnderTest(env);
    const heartbeat = { period: 1, periodUnit: "hours", grace: 10, graceUnit: "minutes", pingToken: "token-of-the-owner" };
    const body = { name: "backup", heartbeat };
    expect((await plane.call("POST", "/v1/checks/heartbeat", { body })).status).toBe(201);
    const { body: made } = await plane.call("POST", "/v1/accounts", { body: { name: "Mallory" } });
    const asMallory = (method: string, path: string, sent: object) => plane.call(method, path, { key: made.rawKey, body: sent });
    const { body: own } = await asMallory("POST", "/v1/checks/heartbeat", { ...body, heartbeat: { ...heartbeat, pingToken: null } });
    const statuses = [];
    for (let n = 0; n < 2; n += 1) {
      statuses.push((await asMallory("POST", "/v1/checks/heartbeat", body)).status);
      statuses.push((await asMallory("PUT", `/v1/checks/heartbeat/${own.id}`, { heartbeat })).status);
      statuses.push((await asMallory("PUT", `/v1/checks/${own.id}`, { heartbeat })).status);
    }
    expect(statuses).toEqual([409, 409, 409, 429, 429, 429]);
    expect((await fetch(`${plane.base}/ping/nobody-has-this-token`)).status).toBe(429);
    expect((await fetch(`${plane.base}/ping/token-of-the-owner`)).status).toBe(200);
    held("a taken token counts like an unknown ping", "3 of 6 told (limit 3 a minute)");
  });
});
