import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "prom-client";
import { expect } from "vitest";
import type { NewApiKey } from "#contract/api-keys.ts";
import { createAuditLines } from "../../src/control-plane/audit/audit-lines.ts";
import { addAuditMetrics } from "../../src/control-plane/audit/audit-metrics.ts";
import { logOf } from "../agent/agent-under-test.ts";
import { ada, firstOwner, joined, signIn } from "../control-plane/console/people.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane/control-plane-under-test.ts";
import { Site } from "../support/site.ts";
import { attack } from "./attack.ts";

type Line = Readonly<Record<string, unknown>>;

/** A control plane whose audit log also goes to a file, and what stands in it. */
async function watched(): Promise<{ plane: ControlPlaneUnderTest; lines: () => Line[] } & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), "outpost-audit-"));
  const file = join(folder, "audit.jsonl");
  const plane = await controlPlaneUnderTest({ AUDIT_OUTPUT: file });
  return {
    plane,
    lines: () => linesOf(file),
    [Symbol.asyncDispose]: async () => {
      await plane[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

function linesOf(file: string): Line[] {
  try {
    return readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
  } catch {
    return [];
  }
}

const entriesOf = async (plane: ControlPlaneUnderTest, query: string) =>
  (await plane.call("GET", `/v1/audit-log?limit=100&${query}`)).body.entries;

attack("D1", "somebody guesses a member's password, and signs in in the end", async (held) => {
  await using site = await watched();
  const { plane } = site;
  await firstOwner(plane);
  await signIn(plane, { email: ada.email, password: "wrong wrong wrong" });
  await signIn(plane, { email: ada.email, password: ada.password });
  const entries = await eventually(async () => {
    const found = await entriesOf(plane, "operation=signIn");
    return found.length >= 2 && found;
  });
  const actor = { type: "user", userName: ada.email, role: "OWNER" };
  expect(entries).toMatchObject([
    { status: 303, actor, fields: ["password"], remoteAddress: "127.0.0.1" },
    { status: 401, actor, fields: ["password"], remoteAddress: "127.0.0.1" },
  ]);
  expect(await entriesOf(plane, "operation=signIn&refused=true")).toHaveLength(1);
  const lines = await eventually(async () => site.lines().filter(({ operation }) => operation === "signIn").length >= 2 && site.lines());
  expect(lines.at(-1)).toMatchObject({
    type: "audit",
    account: plane.account.uuid,
    operation: "signIn",
    status: 303,
    remoteAddress: "127.0.0.1",
  });
  expect(JSON.stringify(lines)).not.toContain("wrong wrong");
  held("audit log and JSON lines: who, from where, what came of it");
});

attack("D1", "somebody tries addresses that nobody has, and keys that nobody issued", async (held) => {
  await using site = await watched();
  await signIn(site.plane, { email: "nobody@example.com", password: "wrong wrong wrong" });
  await signIn(site.plane, { key: `sv_${"0".repeat(32)}` });
  const lines = await eventually(async () => site.lines().length >= 2 && site.lines());
  expect(lines).toMatchObject([
    { operation: "signIn", status: 401, account: null, actor: null, fields: ["password"] },
    { operation: "signIn", status: 401, account: null, actor: null, fields: ["key"] },
  ]);
  held("JSON lines, which belong to no account");
});

attack("D1", "a reader tries what is not allowed, by key and in the console", async (held) => {
  await using site = await watched();
  const { plane } = site;
  const owner = await firstOwner(plane);
  const reader = await joined(plane, owner, "bob@example.com", "READ_ONLY");
  expect((await reader.get("/keys")).status).toBe(403);
  const key = await plane.keyFor("READ_ONLY");
  expect((await plane.call("DELETE", `/v1/checks/${crypto.randomUUID()}`, { key })).status).toBe(403);
  const refused = await eventually(async () => {
    const found = await entriesOf(plane, "refused=true");
    return found.length >= 2 && found;
  });
  expect(refused).toMatchObject([
    { operation: "deleteCheck", status: 403, actor: { type: "key", role: "READ_ONLY" } },
    { operation: "openPage", status: 403, path: "/keys", actor: { type: "user", userName: "bob@example.com" } },
  ]);
  held("denials stand in the audit log under what was asked for");
});

attack(
  "D1",
  "a stolen key is used from elsewhere",
  async (held) => {
    const folder = mkdtempSync(join(tmpdir(), "outpost-audit-"));
    using _folder = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
    const file = join(folder, "audit.jsonl");
    await using site = await Site.start({ env: { TRUSTED_PROXIES: "127.0.0.1", AUDIT_OUTPUT: file } });
    const { id, rawKey } = await site.api<NewApiKey>("POST", "/v1/api-keys", { name: "Deployments", role: "READ_ONLY" });
    const useFrom = async (address: string, path: string) => {
      const headers = { authorization: `Bearer ${rawKey}`, "x-forwarded-for": address };
      expect((await fetch(site.base + path, { headers })).status).toBe(200);
    };
    // What was noted is written once a minute, and when the control plane stops.
    const restart = async () => {
      site.controlPlane.signal("SIGTERM");
      await site.controlPlane.exit();
      await site.startControlPlane();
    };
    await useFrom("10.1.2.3", "/v1/checks");
    await useFrom("10.1.2.3", "/v1/checks");
    await restart();
    await useFrom("10.1.2.3", "/v1/checks");
    await useFrom("10.9.9.9", "/v1/variables?limit=5");
    await useFrom("10.9.9.9", "/v1/checks");
    await restart();
    const told = [
      { address: "10.9.9.9", path: "/v1/variables" },
      { address: "10.1.2.3", path: "/v1/checks" },
    ].map(({ address, path }) => ({
      operation: "useKeyFromNewAddress",
      resourceId: id,
      actor: { keyId: id, maskedKey: `...${rawKey.slice(-4)}`, role: "READ_ONLY" },
      method: "GET",
      path,
      remoteAddress: address,
    }));
    const { entries } = await site.api<{ entries: unknown[] }>("GET", `/v1/audit-log?keyId=${id}`);
    expect(entries).toMatchObject(told);
    const lines = linesOf(file).filter(({ resourceId, operation }) => resourceId === id && operation !== "createApiKey");
    expect(lines.toReversed()).toMatchObject(told);
    held("the audit log and the JSON lines tell each new network of a key once: which key, from where, what was asked for");
  },
  90_000,
);

attack("D1", "a flood of refusals fills the audit log", async (held) => {
  await using plane = await controlPlaneUnderTest();
  const key = await plane.keyFor("READ_ONLY");
  await Promise.all(Array.from({ length: 200 }, () => plane.call("DELETE", `/v1/snippets/1`, { key })));
  await eventually(async () => (await entriesOf(plane, "refused=true")).length > 0);
  expect((await entriesOf(plane, "refused=true")).length).toBeLessThanOrEqual(30);
  const { text } = await plane.call("GET", "/metrics", { key: undefined });
  expect(Number(/^outpost_audit_notes_dropped_total (\d+)/m.exec(text)?.[1])).toBeGreaterThanOrEqual(170);
  held("30 a minute from one address; the others are counted", "30 of 200 refusals kept");
});

attack("D1", "somebody fills the disk that the audit log goes out to, and goes on for ten thousand entries", async (held) => {
  await using plane = await controlPlaneUnderTest();
  const file = join(plane.dataDir, "out", "audit.jsonl"); // nothing can be written before its folder is there
  const registry = new Registry();
  const { log, lines: logged } = logOf();
  const output = createAuditLines({
    ...plane.context,
    accounts: plane.context.storage.accounts,
    ...addAuditMetrics([registry]),
    target: file,
    log,
  });
  const first = Date.UTC(2026, 0, 31);
  const entry = { accountId: plane.account.id, resourceId: null, fields: [], actor: null, request: null };
  const write = (from: number, to: number) => {
    for (let n = from; n < to; n += 1) output.write({ ...entry, operation: `op${n}`, atMs: first + n });
  };
  write(0, 600);
  await eventually(async () => logged.length === 1);
  write(600, 10_700);
  mkdirSync(join(plane.dataDir, "out"));
  const lines = await eventually(async () => linesOf(file).length > 10_000 && linesOf(file));
  expect(lines[0]).toMatchObject({ type: "audit-lost", lost: 700, since: "2026-01-31T00:00:00.000Z" });
  expect(lines.slice(1).map(({ operation }) => operation)).toEqual(Array.from({ length: 10_000 }, (_, n) => `op${n + 700}`));
  expect(await registry.metrics()).toMatch(/^outpost_audit_lines_lost_total 700$/m);
  await output.stop(AbortSignal.timeout(1_000));
  expect(logged).toMatchObject([
    { msg: "AUDIT_OUTPUT cannot be written: entries of the audit log wait" },
    { msg: "AUDIT_OUTPUT can be written again", lost: 700 },
  ]);
  held("10,000 lines wait; of the others a line says how many, and since when", "10,000 of 10,700 kept, 700 told");
});

attack("D1", "a flood of refusals from all addresses of one IPv6 network fills the audit log", async (held) => {
  await using plane = await controlPlaneUnderTest({ TRUSTED_PROXIES: "127.0.0.1" });
  const key = await plane.keyFor("READ_ONLY");
  const from = (n: number) => ({ key, headers: { "x-forwarded-for": `2001:db8:1:2::${n.toString(16)}` } });
  await Promise.all(Array.from({ length: 200 }, (_, n) => plane.call("DELETE", `/v1/snippets/1`, from(n))));
  await eventually(async () => (await entriesOf(plane, "refused=true")).length > 0);
  expect((await entriesOf(plane, "refused=true")).length).toBe(30);
  held("an IPv6 network of 64 bits counts as one address", "30 of 200 refusals kept");
});
