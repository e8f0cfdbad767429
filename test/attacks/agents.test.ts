import { once } from "node:events";
import { request } from "node:http";
import { afterEach, beforeEach, expect } from "vitest";
import { introduce, newIdentity } from "../../src/agent/contact/introduction.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane/control-plane-under-test.ts";
import { attack } from "./attack.ts";

let plane: ControlPlaneUnderTest;
beforeEach(async () => {
  plane = await controlPlaneUnderTest();
});
afterEach(async () => {
  await plane[Symbol.asyncDispose]();
});

interface Answer {
  readonly status: number;
  readonly message: string;
}

/** A session as an agent opens it, from a loopback address of its own: to the control plane these are hosts. */
async function open(key: string, from: string, identity = newIdentity()): Promise<Answer> {
  const { port } = new URL(plane.base);
  const asked = request({
    host: "127.0.0.1",
    port,
    method: "POST",
    path: "/agent/v1/sessions",
    localAddress: from,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    agent: false,
  });
  asked.end(JSON.stringify({ ...introduce(identity, { runners: {} }, "off"), checkTypes: ["API"], name: `host-${from}` }));
  const [answer] = await once(asked, "response");
  let text = "";
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode, message: JSON.parse(text).message ?? "" };
}

async function location(hostLimit: number | null): Promise<{ id: string; key: string }> {
  const { body } = await plane.call("POST", "/v1/private-locations", { body: { name: "Berlin", slugName: "berlin", hostLimit } });
  return { id: body.id, key: body.keys[0].rawKey };
}

attack("D4", "whoever stole a location's key runs an agent of his own, and gets its checks with their secrets", async (held) => {
  const { id, key } = await location(1);
  expect((await open(key, "127.0.0.1")).status).toBe(201);
  expect((await open(key, "127.0.0.1")).status).toBe(201); // another agent on the same host
  const stolen = await open(key, "127.0.0.2");
  expect(stolen).toMatchObject({
    status: 403,
    message: expect.stringContaining("admits no new host by itself: admit 127.0.0.2") as unknown,
  });
  const { body: hosts } = await plane.call("GET", `/v1/private-locations/${id}/hosts`);
  expect(hosts).toMatchObject([
    { address: "127.0.0.2", name: "host-127.0.0.2", state: "waiting" },
    { address: "127.0.0.1", state: "admitted" },
  ]);
  const told = await eventually(async () => {
    const { entries } = (await plane.call("GET", "/v1/audit-log?refused=true")).body;
    return entries.length > 0 && entries;
  });
  expect(told).toMatchObject([{ operation: "openAgentSession", status: 403, remoteAddress: "127.0.0.2", actor: { kind: "location" } }]);
  held("hostLimit: a new host waits for somebody to admit it, and is told");
});

attack("D4", "many hosts come at once for the one place that a key has", async (held) => {
  const { key } = await location(1);
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => open(key, `127.0.1.${index + 1}`)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  held("the location's row is locked", "1 of 10 let in");
});

attack("D4", "somebody refused tries again, and one who waited is admitted and then thrown out", async (held) => {
  const { id, key } = await location(0);
  const here = newIdentity();
  expect((await open(key, "127.0.0.3", here)).status).toBe(403);
  const owner = await firstOwner(plane);
  const { body } = await plane.call("GET", `/v1/private-locations/${id}/hosts`);
  expect((await owner.get(`/locations/${id}`)).text).toContain("waits for you");
  expect((await owner.post(`/locations/${id}/hosts/${body[0].id}`, { state: "admitted" })).status).toBe(303);
  expect((await open(key, "127.0.0.3", here)).status).toBe(201);
  const decided = await plane.call("PUT", `/v1/private-locations/${id}/hosts/${body[0].id}`, { body: { state: "refused" } });
  expect(decided.body).toMatchObject({ state: "refused" });
  expect(await open(key, "127.0.0.3", here)).toMatchObject({ status: 403, message: "The location berlin refuses agents from 127.0.0.3" });
  const [berlin] = await plane.context.storage.locations.list(plane.account.id);
  expect(await plane.context.storage.agents.ofLocations([berlin?.id ?? 0], 0)).toEqual([]);
  held("a refused host's sessions end");
});

attack("D4", "an agent takes the name of another one that runs", async (held) => {
  const { key } = await location(null);
  const running = newIdentity();
  expect((await open(key, "127.0.0.1", running)).status).toBe(201);
  const twin = { agentId: running.agentId, proof: newIdentity().proof };
  expect(await open(key, "127.0.0.1", twin)).toMatchObject({ status: 409 });
  expect((await open(key, "127.0.0.1", running)).status).toBe(201); // it goes on, as it does each hour
  const told = await eventually(async () => {
    const { entries } = (await plane.call("GET", "/v1/audit-log?refused=true")).body;
    return entries.length > 0 && entries;
  });
  expect(told).toMatchObject([{ operation: "openAgentSession", status: 409 }]);
  plane.advance(3_600_000);
  expect((await open(key, "127.0.0.1", twin)).status).toBe(201); // long gone: it is nobody's name
  held("only the process that chose an agent's id can prove it");
});

attack("D4", "the table of hosts is filled from thousands of addresses", async (held) => {
  const { id, key } = await location(1);
  await open(key, "127.0.0.1");
  const [berlin] = await plane.context.storage.locations.list(plane.account.id);
  for (let host = 0; host < 400; host += 1)
    await plane.context.storage.locationHosts.arrive(berlin?.id ?? 0, {
      network: `10.0.${host >> 8}.${host & 255}`,
      name: "x",
      nowMs: host,
    });
  const { body } = await plane.call("GET", `/v1/private-locations/${id}/hosts`);
  expect(body).toHaveLength(200);
  expect(body.find(({ state }: { state: string }) => state === "admitted")).toMatchObject({ address: "127.0.0.1" });
  held("200 hosts a location; admitted ones stay", "200 of 401 kept");
});
