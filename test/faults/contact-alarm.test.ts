import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createContactAlarm } from "../../src/agent/contact/contact-alarm.ts";
import { createControlPlaneClient } from "../../src/agent/contact/control-plane-client.ts";
import { Secret } from "../../src/daemon/secret.ts";
import { logOf } from "../agent/agent-under-test.ts";
import { httpServer } from "../support/http-servers/http-server.ts";
import { until } from "../support/processes.ts";

const folder = mkdtempSync(join(tmpdir(), "outpost-alarm-"));
afterAll(() => rmSync(folder, { recursive: true }));
const never = new AbortController().signal;
const minute = 60_000;

/** A webhook that answers what it is told to, and keeps what it got. */
async function webhook() {
  const got: { path: string; body: Record<string, unknown> }[] = [];
  const answers = { status: 200 };
  const server = await httpServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      got.push({ path: request.url ?? "", body: JSON.parse(Buffer.concat(parts).toString()) });
      response.writeHead(answers.status).end();
    });
  });
  return { got, answers, url: server.url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** An alarm whose looks come every few milliseconds; contact was `ageMs` ago. */
async function alarm(url: string | null, command: string | null, afterMs = minute) {
  const contact = { age: 0, trouble: "ECONNREFUSED" };
  const { log, lines } = logOf();
  let nowMs = 0;
  const service = createContactAlarm({
    settings: { afterMs, url: url === null ? null : new Secret(url), command },
    contact: { ageMs: () => contact.age, trouble: () => contact.trouble },
    clock: { monotonicMs: () => nowMs, wallMs: () => Date.UTC(2026, 10, 23, 12) + nowMs },
    about: () => ({ agent: "rack-7", agentId: "a", location: "Berlin" }),
    client: (base) => createControlPlaneClient(base, null, []),
    log,
    rest: { lookMs: 5, againMs: 20 },
  });
  await service.start();
  const away = (ms: number): void => {
    contact.age = ms;
    nowMs = ms;
  };
  return { lines, away, [Symbol.asyncDispose]: async () => service.stop(never) };
}

describe("operators of a location", () => {
  it("are told by a webhook that contact is lost, once it gets through, and that it is back", async () => {
    await using hook = await webhook();
    await using under = await alarm(`${hook.url}/hooks/t0ken?a=1`, null);
    hook.answers.status = 500;
    under.away(59_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(hook.got).toEqual([]);
    under.away(61_000);
    await until("two tries", () => hook.got.length >= 2);
    hook.answers.status = 204;
    await until("the line", () => under.lines.some(({ msg }) => msg === "notified operators about the connection to the control plane"));
    const tries = hook.got.length;
    expect(hook.got.at(-1)).toEqual({
      path: "/hooks/t0ken?a=1",
      body: {
        event: "contact_lost",
        agent: "rack-7",
        agentId: "a",
        location: "Berlin",
        since: "2026-11-23T12:00:00.000Z",
        reason: "ECONNREFUSED",
        text: "Outpost agent rack-7 of Berlin has had no contact with the control plane since 2026-11-23T12:00:00.000Z: ECONNREFUSED",
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(hook.got).toHaveLength(tries);
    under.away(0);
    await until("the end", () => hook.got.length > tries);
    expect(hook.got.at(-1)?.body).toMatchObject({ event: "contact_back", since: "2026-11-23T12:00:00.000Z", reason: null });
    expect(JSON.stringify(under.lines)).not.toContain("t0ken");
  });

  it("are told by a program, which gets no shell and nothing of the agent's environment", async () => {
    const seen = join(folder, "seen");
    const program = join(folder, "tell");
    writeFileSync(program, `#!/bin/sh\necho "$1" > ${seen}.new; env | sort >> ${seen}.new; mv ${seen}.new ${seen}\n`);
    chmodSync(program, 0o755);
    process.env["SERVICE_SECRET_PLANTED"] = "planted";
    await using under = await alarm(null, program);
    under.away(61_000);
    await until("the program", () => existsSync(seen));
    delete process.env["SERVICE_SECRET_PLANTED"];
    const text = readFileSync(seen, "utf8");
    expect(text).toMatch(/^contact_lost\n/);
    expect(text).toContain("OUTPOST_EVENT=contact_lost\nOUTPOST_LOCATION=Berlin\nOUTPOST_SINCE=2026-11-23T12:00:00.000Z\n");
    expect(text).not.toContain("planted");
  });

  it("are told by the other way where one fails, and the log says which", async () => {
    await using hook = await webhook();
    await using under = await alarm(hook.url, join(folder, "nothing"));
    under.away(61_000);
    await until("both", () => hook.got.length === 1 && under.lines.filter(({ level }) => level === 40).length >= 2);
    expect(under.lines.find(({ level }) => level === 40)).toMatchObject({
      by: "command",
      reason: "the command cannot be started (ENOENT)",
    });
    expect(hook.got).toHaveLength(1);
  });
});
