import { once } from "node:events";
import { request } from "node:http";
import { afterAll, afterEach, beforeEach, describe, expect } from "vitest";
import { introduce, newIdentity } from "../../src/agent/contact/introduction.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane/control-plane-under-test.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { attack } from "./attack.ts";

interface Answer {
  readonly status: number;
  readonly message: string;
}

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

describe.each(engines.list)("agents on $name", ({ databaseUrl }) => {
  let plane: ControlPlaneUnderTest;
  beforeEach(async () => {
    const url = await databaseUrl();
    plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  /** A session as an agent opens it, from a loopback address of its own: to the control plane these are hosts. */
  async function open(
    key: string,
    from: string,
    identity: { readonly agentId: string; readonly proof?: string | undefined } = newIdentity(),
  ): Promise<Answer> {
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
    const introduction = introduce(newIdentity(), { runners: {} }, "off");
    asked.end(JSON.stringify({ ...introduction, proof: undefined, ...identity, checkTypes: ["API"], name: `host-${from}` }));
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
    expect((await owner.get(`/locations/${id}`)).text).toContain("waiting for approval");
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

  attack("D4", "twenty processes take the name of one agent at once", async (held) => {
    const { key } = await location(null);
    const { agentId } = newIdentity();
    const race = async (identity: () => { agentId: string; proof?: string }): Promise<readonly number[]> =>
      (await Promise.all(Array.from({ length: 20 }, (_, n) => open(key, `127.0.3.${n + 1}`, identity()))))
        .map(({ status }) => status)
        .toSorted((a, b) => a - b);
    expect(await race(() => ({ ...newIdentity(), agentId }))).toEqual([201, ...Array<number>(19).fill(409)]);
    // As agents of earlier releases, which prove nothing.
    const older = crypto.randomUUID();
    expect(await race(() => ({ agentId: older }))).toEqual([201, ...Array<number>(19).fill(409)]);
    expect((await open(key, "127.0.3.1", { ...newIdentity(), agentId: older })).status).toBe(409);
    const one = newIdentity();
    expect(new Set(await race(() => one))).toEqual(new Set([201]));
    held("the location's row is locked, and no proof is nobody's", "1 of 20 let in, with proofs and without");
  });

  attack(
    "D4",
    "a refused host comes again after hundreds of others",
    async (held) => {
      const { id, key } = await location(0);
      expect((await open(key, "127.0.0.3")).status).toBe(403);
      const {
        body: [refused],
      } = await plane.call("GET", `/v1/private-locations/${id}/hosts`);
      await plane.call("PUT", `/v1/private-locations/${id}/hosts/${refused.id}`, { body: { state: "refused" } });
      for (let n = 0; n < 250; n += 1) await open(key, `127.1.0.${n + 1}`);
      expect((await plane.call("GET", `/v1/private-locations/${id}/hosts`)).body).toHaveLength(200);
      expect(await open(key, "127.0.0.3")).toMatchObject({ status: 403, message: "The location berlin refuses agents from 127.0.0.3" });
      held("only hosts that wait make room", "1 refused host stays, 250 knocked");
    },
    60_000,
  );

  attack(
    "D4",
    "hosts knock at a location that is full of hosts that were refused",
    async (held) => {
      const { id, key } = await location(0);
      const { locations, locationHosts } = plane.context.storage;
      const [berlin] = await locations.list(plane.account.id);
      for (let n = 0; n < 200; n += 1) {
        const host = await locationHosts.arrive(berlin?.id ?? 0, { network: `10.0.0.${n}`, name: "x", nowMs: n });
        await locationHosts.decide(berlin?.id ?? 0, host?.uuid ?? "", n === 0 ? "admitted" : "refused");
      }
      const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => open(key, `127.2.0.${n + 1}`)));
      expect(answers).toEqual(
        answers.map(() => ({ status: 403, message: expect.stringContaining("has no room for another host") as unknown })),
      );
      const { body: hosts } = await plane.call("GET", `/v1/private-locations/${id}/hosts`);
      expect(hosts.filter(({ state }: { state: string }) => state === "refused")).toHaveLength(199);
      const entries = await eventually(async () => {
        const { body } = await plane.call("GET", "/v1/audit-log?refused=true&limit=100");
        return body.entries.length > 0 && body.entries;
      });
      expect(entries).toHaveLength(1);
      const { text } = await plane.call("GET", "/metrics", { key: undefined });
      expect(text).toMatch(/^outpost_audit_notes_dropped_total 39$/m);
      held("nobody who was decided on makes room; told once an hour, then counted", "1 entry, 39 counted");
    },
    60_000,
  );
});
