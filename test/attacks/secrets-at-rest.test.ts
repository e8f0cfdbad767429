import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Role } from "../../src/control-plane/storage/storage.ts";
import { formFields } from "../control-plane/console/edit-forms.ts";
import { keyHolder } from "../control-plane/console/key-holder.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane/control-plane-under-test.ts";
import { FakeAgent } from "../control-plane/fake-agent.ts";
import { startPostgres } from "../support/postgres.ts";
import { attack } from "./attack.ts";

const canary = (place: string): string => `canary-${place}-1f9c2b`;
const places = [
  "url",
  "basic",
  "header",
  "authorization",
  "cookie",
  "parameter",
  "group-basic",
  "group-header",
  "variable",
  "hook-header",
  "hook-secret",
];
const canaries = places.map(canary);

const request = {
  method: "GET",
  url: `http://ada:${canary("url")}@127.0.0.1:9/`,
  basicAuth: { username: "ada", password: canary("basic") },
  headers: [
    { key: "X-Own", value: canary("header"), locked: true },
    { key: "Authorization", value: `Bearer ${canary("authorization")}` },
    { key: "Cookie", value: `session=${canary("cookie")}` },
    { key: "X-Plain", value: "seen" },
    { key: "X-Api-Key", value: "{{TOKEN}}", locked: true },
  ],
  queryParameters: [{ key: "token", value: canary("parameter"), locked: true }],
};

/** A group with a check, a variable and a channel, each with secrets, and what reads them. */
async function world(plane: ControlPlaneUnderTest) {
  const made = async (path: string, body: object) => {
    const { status, body: answer } = await plane.call("POST", path, { body });
    expect([path, status, answer.message]).toEqual([path, 201, undefined]);
    return answer;
  };
  const apiCheckDefaults = {
    basicAuth: { username: "bob", password: canary("group-basic") },
    headers: [{ key: "X-Group", value: canary("group-header"), locked: true }],
  };
  const group = await made("/v2/check-groups", { name: "Shops", apiCheckDefaults });
  const check = await made("/v1/checks/api", { name: "Shop", locations: ["eu-west-1"], frequency: 1440, groupId: group.id, request });
  await made("/v1/variables", { key: "TOKEN", value: canary("variable"), locked: true });
  const channel = await made("/v1/alert-channels", {
    type: "WEBHOOK",
    config: {
      name: "hook",
      url: "https://hooks.example.com/T0/secret-path",
      method: "POST",
      webhookSecret: canary("hook-secret"),
      headers: [{ key: "X-Hook", value: canary("hook-header"), locked: true }],
    },
  });
  const paths = [
    `/v1/checks/${check.id}`,
    `/v1/checks/${check.id}?applyGroupSettings=true`,
    "/v1/checks",
    "/v3/checks?applyGroupSettings=true",
    `/v1/check-groups/${group.id}`,
    "/v1/variables",
    `/v1/alert-channels/${channel.id}`,
  ];
  const readBy = async (role: Role): Promise<string> => {
    const key = await plane.keyFor(role);
    return (await Promise.all(paths.map(async (path) => (await plane.call("GET", path, { key })).text))).join("\n");
  };
  return { group, check, channel, readBy };
}

function filesOf({ dataDir }: Pick<ControlPlaneUnderTest, "dataDir">): string {
  const names = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return names.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n");
}

const foundIn = (text: string): string[] => canaries.filter((secret) => text.includes(secret));

attack("C3", "whoever may read, or has a copy of the database, reads passwords and locked values", async (held) => {
  await using plane = await controlPlaneUnderTest();
  const { readBy } = await world(plane);
  for (const role of ["READ_ONLY", "READ_RUN", "READ_WRITE", "OWNER"] as const) {
    const text = await readBy(role);
    expect([role, foundIn(text)]).toEqual([role, []]);
    expect(text).toContain("seen");
    expect(text).toContain("{{TOKEN}}");
  }
  expect((await readBy("READ_ONLY")).includes("secret-path")).toBe(false);
  expect(foundIn(filesOf(plane))).toEqual([]);
  held("sealed at rest, asterisks over REST", `${canaries.length} places, 0 found`);
});

attack("C3", "asterisks that a reader was shown are sent back, and take the secrets away", async (held) => {
  await using plane = await controlPlaneUnderTest();
  const { group, check, channel } = await world(plane);
  const here = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
  await plane.call("PUT", `/v1/checks/api/${check.id}`, { body: check });
  await plane.call("PUT", `/v2/check-groups/${group.id}`, { body: group });
  const form = formFields((await here.get(`/checks/${check.id}/edit`)).text);
  expect((await here.post(`/checks/${check.id}/edit`, form)).status).toBe(303);
  const [job] = await (await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"))).lease(10, 0);
  const started = await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: [check.id] } } });
  expect(started.status).toBe(201);
  const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
  const run = job ?? (await eventually(async () => (await agent.lease(10, 1))[0]));
  const text = JSON.stringify(run.payload);
  const wanted = ["url", "basic", "header", "authorization", "cookie", "parameter", "group-header", "variable"].map(canary);
  expect(wanted.filter((secret) => !text.includes(secret))).toEqual([]);
  const stolen = { ...request, headers: [{ key: "X-Own", value: "********", locked: false }] };
  const refused = await plane.call("PUT", `/v1/checks/api/${check.id}`, { body: { request: stolen } });
  expect([refused.status, refused.body.attributes.issues[0].path]).toEqual([400, "request.headers[0].value"]);
  expect(
    (await plane.call("PUT", `/v1/alert-channels/${channel.id}`, { body: { ...channel, config: { ...channel.config, name: "x" } } }))
      .status,
  ).toBe(200);
  held("asterisks keep what is stored, for an entry that stays locked");
});

attack("C3", "a client that compares what it sent sees a difference each time", async (held) => {
  await using plane = await controlPlaneUnderTest({ SECRETS_READABLE: "write" });
  const { check, channel, readBy } = await world(plane);
  expect(check.request.basicAuth.password).toBe(canary("basic"));
  expect(channel.config.webhookSecret).toBe(canary("hook-secret"));
  expect(foundIn(await readBy("READ_WRITE"))).toEqual(canaries);
  expect(foundIn(await readBy("READ_RUN"))).toEqual([]);
  expect(foundIn(filesOf(plane))).toEqual([]);
  held("SECRETS_READABLE=write, for those who may write");
});

attack("C3", "secrets of an earlier release lie in plain text for ever", async (held) => {
  await using plane = await controlPlaneUnderTest();
  const { check } = await world(plane);
  const { definitions, marks } = plane.context.storage;
  const [row] = await definitions.after("check", 0, 1);
  if (row === undefined) throw new Error("no check");
  const open = JSON.stringify({ ...JSON.parse(row.definition), request });
  expect(await definitions.replace("check", row, open)).toBe(true);
  expect(await definitions.replace("check", row, "{}")).toBe(false);
  await marks.replace("secrets sealed", "1");
  const { createSecretSealer } = await import("../../src/control-plane/upkeep/seal-stored.ts");
  const seal = createSecretSealer({
    definitions,
    marks: { ...marks, find: async () => undefined },
    sealing: plane.controlPlane.sealing,
    hashOf: plane.controlPlane.hashOf,
    nowMs: Date.now,
    databaseUrl: null,
    log: { info: () => undefined, error: () => undefined } as never,
  });
  await seal.start();
  const after = await eventually(async () => {
    const [now] = await definitions.after("check", 0, 1);
    return now?.definition !== open && now?.definition;
  });
  await seal.stop(AbortSignal.timeout(5_000));
  expect(foundIn(String(after))).toEqual([]);
  expect(foundIn((await plane.call("GET", `/v1/checks/${check.id}`)).text)).toEqual([]);
  held("sealed at the first start of this release");
});

attack("C3", "a secret is sent where it does not belong, and what is sealed is copied", async (held) => {
  await using plane = await controlPlaneUnderTest();
  const post = (changes: object) =>
    plane.call("POST", "/v1/checks/api", {
      body: { name: "Shop", locations: ["eu-west-1"], frequency: 1440, request: { ...request, ...changes } },
    });
  for (const field of ["basicAuth", "headers", "queryParameters"]) {
    const { status, text } = await post({ [field]: canary("basic") });
    expect([field, status, text.includes(canary("basic")), text.includes("received a string")]).toEqual([field, 400, false, true]);
  }
  const copied = await post({ headers: [{ key: "X-Open", value: "sealed:v2:1:AAAA" }] });
  expect([copied.status, copied.body.attributes.issues[0].path]).toEqual([400, "request.headers[0].value"]);
  held("what was received in the place of an object is not repeated; what looks sealed is refused");
});

attack("C4", "whoever may write points a channel at his own server and is sent its secrets", async (held) => {
  await using plane = await controlPlaneUnderTest();
  const { channel } = await world(plane);
  const moved = { ...channel, config: { ...channel.config, url: "https://attacker.example.com/" } };
  const { status, body } = await plane.call("PUT", `/v1/alert-channels/${channel.id}`, { body: moved });
  expect([status, body.attributes.issues.map(({ path }: { path: string }) => path)]).toEqual([
    400,
    ["config.webhookSecret", "config.headers[0].value"],
  ]);
  held("a secret is kept for the address that it was given for");
});

attack("C4", "a reader says that a job ran by the address of its heartbeat", async (held) => {
  await using plane = await controlPlaneUnderTest();
  const { body: made } = await plane.call("POST", "/v1/checks/heartbeat", {
    body: { name: "Backup", heartbeat: { period: 1, periodUnit: "days", grace: 1, graceUnit: "hours" } },
  });
  const token = made.heartbeat.pingToken;
  expect(token).toMatch(/^[\w-]{20,}$/);
  const key = await plane.keyFor("READ_RUN");
  for (const path of [`/v1/checks/${made.id}`, "/v1/checks", `/v2/checks/${made.id}`, `/v3/checks/${made.id}`])
    expect((await plane.call("GET", path, { key })).text).not.toContain(token);
  const here = await keyHolder(plane, await plane.keyFor("READ_ONLY"));
  expect((await here.get(`/checks/${made.id}`)).text).not.toContain(token);
  const writer = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
  expect((await writer.get(`/checks/${made.id}`)).text).toContain(token);
  held("ping addresses are for those who may write");
});

/** Tokens made, given, changed and pinged, and what the control plane wrote of them; `files` are those of its database, WAL and all. */
async function pingTokensIn(plane: ControlPlaneUnderTest, files: () => string): Promise<readonly string[]> {
  const heartbeat = { period: 1, periodUnit: "days", grace: 1, graceUnit: "hours" };
  const made = await plane.call("POST", "/v1/checks/heartbeat", { body: { name: canary("name"), heartbeat } });
  const { id, heartbeat: shown } = made.body;
  const given = { ...heartbeat, pingToken: canary("given-token") };
  await plane.call("POST", "/v1/checks/heartbeat", { body: { name: "Given", heartbeat: given } });
  const taken = await plane.call("PUT", `/v1/checks/heartbeat/${id}`, { body: { heartbeat: given } });
  expect([taken.status, taken.body.attributes.issues[0].path]).toEqual([409, "heartbeat.pingToken"]);
  for (const pingToken of [null, canary("changed-token"), undefined])
    await plane.call("PUT", `/v1/checks/heartbeat/${id}`, { body: { heartbeat: { ...heartbeat, pingToken } } });
  const { body } = await plane.call("GET", `/v1/checks/${id}`);
  expect(body.heartbeat.pingToken).toBe(canary("changed-token"));
  const tokens = [shown.pingToken as string, canary("given-token"), canary("changed-token")];
  for (const [index, status] of [404, 200, 200].entries()) expect((await fetch(`${plane.base}/ping/${tokens[index]}`)).status).toBe(status);
  const audited = await eventually(async () => {
    const { text } = await plane.call("GET", "/v1/audit-log");
    return text.includes("updateHeartbeatCheck") && text;
  });
  const written = [files(), plane.logLines.join("\n"), audited];
  expect(written[0]).toContain(canary("name")); // what is stored open is found
  return tokens.filter((token) => written.some((text) => text.includes(token)));
}

attack("C6", "whoever has a copy of the database, its WAL included, pings in the place of a job", async (held) => {
  await using plane = await controlPlaneUnderTest();
  expect(readdirSync(plane.dataDir)).toContain("outpost.db-wal");
  expect(await pingTokensIn(plane, () => filesOf(plane))).toEqual([]);
  const folder = mkdtempSync(join(tmpdir(), "outpost-at-rest-"));
  try {
    await using server = await startPostgres({ own: true, folder });
    if (server === undefined) return held("found by a keyed hash, sealed for those who may read it", "SQLite alone, 0 of 3 found");
    await using beside = await controlPlaneUnderTest({ DATABASE_URL: await server.database("at_rest") });
    expect(await pingTokensIn(beside, () => filesOf({ dataDir: join(folder, "data", "pg_wal") }))).toEqual([]);
    await server.stop(); // writes all that is in memory
    expect(filesOf({ dataDir: join(folder, "data", "base") })).not.toContain(canary("given-token"));
    expect(filesOf({ dataDir: join(folder, "data", "base") })).toContain(canary("name"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  held("found by a keyed hash, sealed for those who may read it", "SQLite and PostgreSQL, 0 of 3 found");
});
