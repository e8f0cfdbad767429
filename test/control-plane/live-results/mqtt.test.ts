import { randomUUID } from "node:crypto";
import { connect as connectTcp } from "node:net";
import { generate } from "mqtt-packet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenSocket } from "../../../src/control-plane/http/socket-routes.ts";
import { MqttConnection } from "../../../src/control-plane/live-results/mqtt-connection.ts";
import type { News } from "../../../src/control-plane/live-results/run-news.ts";
import { enginesUnderTest } from "../../support/engines.ts";
import { type Credentials, MqttTestClient, topicsOf } from "../../support/mqtt-client.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";

const failed = { hasFailures: true, hasErrors: true, errorMessage: "ECONNREFUSED: refused" };

function triggered(plane: ControlPlaneUnderTest, suite: string, changes: object = {}) {
  const body = { name: "After the deployment", checkRunSuiteId: suite, runLocation: { type: "PUBLIC", region: "eu-west-1" }, ...changes };
  return plane.call("POST", "/next/test-sessions/trigger", { body });
}

async function follower(plane: ControlPlaneUnderTest, suite: string): Promise<MqttTestClient> {
  const client = await MqttTestClient.open(plane.base);
  expect(await client.connect({ username: plane.account.uuid, password: plane.ownerKey })).toBe(0);
  expect(await client.subscribe(topicsOf(plane.account.uuid, suite))).toEqual([0]);
  return client;
}

describe("live results", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let agent: FakeAgent;
  let check: string;
  let own: Credentials;

  beforeAll(async () => {
    plane = await controlPlaneUnderTest({ MAX_CONNECTIONS_PER_ADDRESS: "3000", MAX_CONNECTIONS: "5000" });
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
    check = (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ locations: ["us-east-1"] }) })).body.id;
    own = { username: plane.account.uuid, password: plane.ownerKey };
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  it("tell the start of a run, each attempt and its end to whoever follows the suite", async () => {
    const suite = randomUUID();
    await using client = await follower(plane, suite);
    const { status, body } = await triggered(plane, suite, { checkId: [check] });
    expect([status, body.checks]).toEqual([200, [{ id: check, name: "Front page", checkType: "API" }]]);
    const [job] = await agent.lease();
    if (job === undefined) throw new Error("no job");
    expect(await client.messages(1)).toEqual([
      { sequenceId: body.sequenceIds[check], runId: body.testResultIds[check], kind: "run-start", body: {} },
    ]);
    await agent.report(reportOf(job, { ...failed, resultType: "ATTEMPT" }));
    const [attempt] = await client.messages(1);
    expect(attempt).toMatchObject({ kind: "result", body: { resultType: "ATTEMPT", result: { hasFailures: true, attempts: 1 } } });
    await agent.report(reportOf({ ...job, attempt: 2 }));
    const [final] = await client.messages(1);
    expect(final).toMatchObject({
      sequenceId: body.sequenceIds[check],
      kind: "result",
      body: {
        resultType: "FINAL",
        testResultId: body.testResultIds[check],
        result: {
          name: "Front page",
          checkType: "API",
          checkId: check,
          hasFailures: false,
          isCancelled: false,
          responseTime: 13,
          attempts: 2,
        },
      },
    });
    const { assets } = final?.body.result ?? {};
    const log = await plane.call("GET", `/next/assets/log/${assets.region}/${encodeURIComponent(assets.logPath)}`);
    expect([log.status, Object.keys(log.body)]).toEqual([200, ["setup", "request", "teardown"]]);
    const data = await plane.call("GET", `/next/assets/check-run-data/${assets.region}/${encodeURIComponent(assets.checkRunDataPath)}`);
    expect(data.body).toMatchObject({ request: { method: expect.any(String) }, response: { status: 200 }, requestError: null });
    expect((await plane.call("GET", `/next/assets/log/eu-west-1/${randomUUID()}`)).status).toBe(404);
  });

  it("tell all of it again to whoever comes back, and what ended while nobody followed", async () => {
    const suite = randomUUID();
    await triggered(plane, suite, { checkId: [check] });
    await agent.report(...(await agent.lease()).map((job) => reportOf(job, failed)));
    for (let round = 0; round < 2; round += 1) {
      await using client = await follower(plane, suite);
      expect((await client.messages(2)).map(({ kind, body }) => [kind, body.result?.hasFailures])).toEqual([
        ["run-start", undefined],
        ["result", true],
      ]);
    }
  });

  it("tell why a run never was, and that one was cancelled", async () => {
    const [missed, cancelled] = [randomUUID(), randomUUID()];
    await using first = await follower(plane, missed);
    await using second = await follower(plane, cancelled);
    const at = { runLocation: { type: "PUBLIC", region: "ap-south-1" }, checkId: [check] };
    await triggered(plane, missed, at);
    const session = (await triggered(plane, cancelled, at)).body.testSessionId;
    await plane.call("POST", `/v1/test-sessions/${session}/cancel`, { body: {} });
    expect(await second.messages(1)).toMatchObject([
      { kind: "result", body: { resultType: "FINAL", result: { isCancelled: true, hasFailures: false } } },
    ]);
    for (let minute = 0; minute < 7; minute += 1) {
      plane.advance(60_000);
      first.send({ cmd: "pingreq" });
      expect((await first.next()).cmd).toBe("pingresp");
    }
    const told = await first.messages(1);
    expect(told).toMatchObject([{ kind: "error", body: expect.stringMatching(/agent/i) }]);
  });

  it("name no result where nothing was to be recorded", async () => {
    const suite = randomUUID();
    await using client = await follower(plane, suite);
    const { body } = await triggered(plane, suite, { checkId: [check], shouldRecord: false });
    expect(body).toEqual({ checks: expect.any(Array), testResultIds: {}, sequenceIds: { [check]: expect.any(String) } });
    await agent.report(...(await agent.lease()).map((job) => reportOf(job)));
    const [, final] = await client.messages(2);
    expect(Object.keys(final?.body)).toEqual(["result", "resultType"]);
  });

  it("are for the account's own keys, and for one suite at a time", async () => {
    const { storage, nowMs } = plane.context;
    const other = await storage.accounts.create({ uuid: randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    const foreign = await plane.keyFor("OWNER", other.id);
    const suite = randomUUID();
    await using spy = await MqttTestClient.open(plane.base);
    expect(await spy.connect({ username: other.uuid, password: foreign })).toBe(0);
    const { uuid } = plane.account;
    const refused = [
      topicsOf(uuid, suite),
      topicsOf(other.uuid, "+"),
      topicsOf("+", suite),
      topicsOf(other.uuid, "#"),
      "#",
      "+/#",
      "$SYS/#",
      `account/${other.uuid}/#`,
      `account/${other.uuid}/ad-hoc-check-results/${suite}/#`,
      `account/${other.uuid}/ad-hoc-check-results/../${suite}/+/+/+`,
    ];
    expect(await spy.subscribe(...refused)).toEqual(refused.map(() => 128));
    expect(await spy.subscribe(topicsOf(other.uuid, suite))).toEqual([0]); // of the same name, in its own account
    await using client = await follower(plane, suite);
    await triggered(plane, suite, { checkId: [check] });
    await agent.report(...(await agent.lease()).map((job) => reportOf(job)));
    await client.messages(2);
    await new Promise((resolve) => setTimeout(resolve, 1_500)); // the next look
    expect(spy.waiting).toBe(0);
    expect(await spy.subscribe(...Array.from({ length: 12 }, () => topicsOf(other.uuid, randomUUID())))).toEqual([
      ...Array.from({ length: 9 }, () => 0),
      128,
      128,
      128,
    ]);
  });

  it("refuse whoever does not show a key of the account", async () => {
    const refusals: readonly (readonly [string, Credentials, object, number])[] = [
      ["no key", { username: plane.account.uuid }, {}, 4],
      ["a key that nobody issued", { username: plane.account.uuid, password: `sv_${"0".repeat(32)}` }, {}, 4],
      ["another account", { username: randomUUID(), password: plane.ownerKey }, {}, 5],
      ["a location's key", { ...own, password: await plane.locationKey("us-east-1") }, {}, 4],
      ["another protocol", own, { protocolVersion: 3, protocolId: "MQIsdp" }, 1],
      ["a will", own, { will: { topic: topicsOf(plane.account.uuid, "a"), payload: Buffer.from("x"), qos: 0, retain: false } }, 5],
    ];
    for (const [what, credentials, changes, code] of refusals) {
      const client = await MqttTestClient.open(plane.base);
      expect([what, await client.connect(credentials, changes)]).toEqual([what, code]);
      expect([what, (await client.closed).code]).toEqual([what, 1008]);
    }
    await using reader = await MqttTestClient.open(plane.base);
    expect(await reader.connect({ ...own, password: await plane.keyFor("READ_ONLY") })).toBe(0);
  });

  it("end with whoever breaks a rule of theirs, and take packets however they are cut", async () => {
    const publish = generate({ cmd: "publish", topic: "a", payload: "x", qos: 0, retain: false, dup: false });
    const pingreq = generate({ cmd: "pingreq" });
    const breaches: readonly (readonly [string, boolean, (client: MqttTestClient) => void, number])[] = [
      ["a message", true, (client) => client.sendBytes(publish), 1008],
      ["a second CONNECT", true, (client) => client.sendBytes(connectPacket), 1008],
      ["another packet first", false, (client) => client.sendBytes(pingreq), 1008],
      ["text", true, (client) => client.sendText("hello"), 1008],
      ["no packet at all", false, (client) => client.sendBytes(Buffer.from(`GET / HTTP/1.1\r\n${"x".repeat(80)}\r\n\r\n`)), 1008],
      ["a length of five bytes", false, (client) => client.sendBytes(Buffer.from([0x10, 0xff, 0xff, 0xff, 0xff, 0x7f])), 1008],
      [
        "a packet of 256 MB, of which it sends the beginning",
        false,
        (client) => client.sendBytes(Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f])),
        1009,
      ],
      ["a message of 10 KB", true, (client) => client.sendBytes(Buffer.alloc(10_000)), 1009],
      ["a flood of packets", true, (client) => client.sendBytes(Buffer.concat(Array.from({ length: 200 }, () => pingreq))), 1008],
    ];
    for (const [what, connects, breach, code] of breaches) {
      const client = await MqttTestClient.open(plane.base);
      if (connects) await client.connect(own);
      breach(client);
      expect([what, (await client.closed).code]).toEqual([what, code]);
    }
    await using slow = await MqttTestClient.open(plane.base);
    const connect = connectOf(own);
    for (const byte of connect) slow.sendBytes(Buffer.from([byte]));
    expect(await slow.next()).toMatchObject({ cmd: "connack", returnCode: 0 });
    slow.sendBytes(Buffer.concat([pingreq, pingreq]));
    expect([(await slow.next()).cmd, (await slow.next()).cmd]).toEqual(["pingresp", "pingresp"]);
  });

  it("let go who says nothing, who stays silent too long, and whose key is revoked", async () => {
    const silent = await MqttTestClient.open(plane.base);
    plane.advance(11_000);
    expect(await silent.closed).toMatchObject({ code: 1008, reason: expect.stringContaining("CONNECT") });
    const idle = await MqttTestClient.open(plane.base);
    await idle.connect(own, { keepalive: 20 });
    plane.advance(31_000);
    expect(await idle.closed).toMatchObject({ code: 1008, reason: expect.stringContaining("keep-alive") });
    const { id, rawKey } = (await plane.call("POST", "/v1/api-keys", { body: { name: "ci", role: "READ_ONLY" } })).body;
    const revoked = await MqttTestClient.open(plane.base);
    expect(await revoked.connect({ ...own, password: rawKey }, { keepalive: 0 })).toBe(0);
    await plane.call("DELETE", `/v1/api-keys/${id}`);
    plane.advance(61_000);
    expect(await revoked.closed).toMatchObject({ code: 1008, reason: expect.stringContaining("key") });
  });

  it("hold a thousand connections, and no more than 200 of an account", async () => {
    const idle = await Promise.all(Array.from({ length: 1_000 }, () => MqttTestClient.open(plane.base)));
    const open = await Promise.all(idle.slice(0, 250).map((client) => client.connect(own)));
    expect(open.filter((code) => code === 0)).toHaveLength(200);
    expect(open.filter((code) => code === 3)).toHaveLength(50);
    expect((await plane.call("GET", "/v1/checks")).status).toBe(200);
    await Promise.all(idle.map((client) => client[Symbol.asyncDispose]()));
    const after = await eventually(async () => {
      const client = await MqttTestClient.open(plane.base);
      return (await client.connect(own)) === 0 && client;
    });
    await after[Symbol.asyncDispose]();
  });

  it("let go who does not read what he is sent", () => {
    let tell: ((news: News) => void) | undefined;
    const closed: string[] = [];
    let waiting = 0;
    const socket: OpenSocket = {
      send: (bytes) => void (waiting += bytes.length),
      waitingBytes: () => waiting,
      close: (_, why) => closed.push(why),
    };
    const client = { accountId: 1, accountUuid: randomUUID(), check: async () => undefined, leave: () => closed.push("left") };
    const follow = (_account: number, _suite: string, given: (news: News) => void) => {
      tell = given;
      return () => closed.push("unfollowed");
    };
    const connection = new MqttConnection(socket, { admit: async () => client, follow, monotonicMs: () => 0 });
    connection.onBytes(connectPacket);
    return Promise.resolve().then(() => {
      const subscriptions = [{ topic: topicsOf(client.accountUuid, "a"), qos: 0 as const }];
      connection.onBytes(generate({ cmd: "subscribe", messageId: 1, subscriptions } as never));
      const news = { sequenceId: "a", runId: "b", kind: "result", message: "x".repeat(100_000) } as const;
      for (let count = 0; count < 20; count += 1) tell?.(news);
      expect(closed).toEqual(["What was sent is not read", "unfollowed", "left"]);
      expect(waiting).toBeLessThan(1_048_576);
    });
  });

  it("are at their address alone, and leave other upgrades to HTTP", async () => {
    expect((await plane.call("GET", "/mqtt")).status).toBe(426);
    await expect(MqttTestClient.open(plane.base, "chat")).rejects.toThrow("no WebSocket");
    const port = Number(new URL(plane.base).port);
    expect(await statusLine(port, "GET /health HTTP/1.1\r\nupgrade: h2c\r\nconnection: upgrade, close")).toContain("200");
    const asked = "upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
    expect(
      await statusLine(port, `GET /health HTTP/1.1\r\n${asked.replace("connection: upgrade", "connection: upgrade, close")}`),
    ).toContain("200");
    expect(await statusLine(port, `GET /mqtt HTTP/1.1\r\n${asked}`)).toContain("426");
    expect(await statusLine(port, `GET /mqtt HTTP/1.1\r\n${asked}\r\nsec-websocket-protocol: mqtt`)).toContain("101");
    expect(
      await statusLine(port, "GET /mqtt HTTP/1.1\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-protocol: mqtt"),
    ).toContain("400");
  });

  it("say so when the control plane stops", async () => {
    const stopping = await controlPlaneUnderTest();
    const client = await MqttTestClient.open(stopping.base);
    await client.connect({ username: stopping.account.uuid, password: stopping.ownerKey });
    await stopping[Symbol.asyncDispose]();
    expect((await client.closed).code).toBe(1001);
  });
});

const connectPacket = connectOf({ username: "a", password: "b" });

function connectOf({ username = "", password = "" }: Credentials): Buffer {
  const named = { username, password: Buffer.from(password), clientId: "test", keepalive: 60 };
  return generate({ cmd: "connect", protocolId: "MQTT", protocolVersion: 4, clean: true, ...named });
}

/** Of the answer to a request that is written as it is. */
function statusLine(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp(port, "127.0.0.1", () => socket.write(`${request}\r\nhost: 127.0.0.1\r\n\r\n`));
    socket.once("data", (data) => {
      resolve(data.toString().split("\r\n")[0] ?? "");
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

describe.skipIf(!engines.list.some(({ name }) => name === "PostgreSQL"))("live results of another process", { timeout: 120_000 }, () => {
  it("reach whoever follows them here", async () => {
    const url = (await engines.list.find(({ name }) => name === "PostgreSQL")?.databaseUrl()) ?? "";
    const shared = { DATABASE_URL: url, ENCRYPTION_KEY: "e0".repeat(32), KEY_PEPPER: "a pepper that both processes have, long enough" };
    await using here = await controlPlaneUnderTest(shared);
    await using there = await controlPlaneUnderTest(shared);
    const agent = await FakeAgent.open(there.base, await here.locationKey("eu-west-1"));
    const { id } = (await here.call("POST", "/v1/checks/api", { body: apiCheck({ locations: ["us-east-1"] }) })).body;
    const suite = randomUUID();
    await using client = await follower(here, suite);
    const body = { name: "Elsewhere", checkRunSuiteId: suite, runLocation: "eu-west-1", checkId: [id] };
    expect((await there.call("POST", "/next/test-sessions/trigger", { key: here.ownerKey, body })).status).toBe(200);
    await agent.report(...(await agent.lease()).map((job) => reportOf(job)));
    expect((await client.messages(2)).map(({ kind }) => kind)).toEqual(["run-start", "result"]);
  });
});
