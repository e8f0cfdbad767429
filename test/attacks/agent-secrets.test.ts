import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { createAgentSecrets, secretSources } from "../../src/agent/scripts/agent-secrets.ts";
import { logOf, temporaryFolder } from "../agent/agent-under-test.ts";
import { SandboxUnderTest } from "../agent/sandbox/sandbox-under-test.ts";
import { type Attempts, attemptsWith, logged } from "../agent/scripts/scripted-attempts.ts";
import { type HttpServer, httpServer } from "../support/http-servers/http-server.ts";
import { attack } from "./attack.ts";

const mine = { check: randomUUID(), group: 7, tag: "payments" };
const environment = {
  SERVICE_SECRET_OPEN: "open-secret-value",
  SERVICE_SECRET_OF_CHECK: "secret-of-one-check",
  SECRET_FOR_OF_CHECK: `check:${mine.check}`,
  SERVICE_SECRET_OF_GROUP: "secret-of-one-group",
  SECRET_FOR_OF_GROUP: "group:7, group:8",
  SERVICE_SECRET_OF_TAG: "secret-of-one-tag",
  SECRET_FOR_OF_TAG: "tag:payments",
};
const bound = ["SERVICE_SECRET_OF_CHECK", "SERVICE_SECRET_OF_GROUP", "SERVICE_SECRET_OF_TAG"];

let tested: SandboxUnderTest;
let attempts: Attempts;
let server: HttpServer;
const bodies: string[] = [];
beforeAll(async () => {
  tested = await SandboxUnderTest.start();
  attempts = attemptsWith(tested.sandbox, environment);
  server = await httpServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      bodies.push(body);
      response.end("ok");
    });
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await tested[Symbol.asyncDispose]();
});

/** What the request's body held, which the target sees unmasked. */
async function sentBy(setup: string, body: string, payload: object = {}): Promise<{ readonly sent: string; readonly log: string }> {
  const request = { method: "POST", url: server.url, bodyType: "RAW", body };
  const report = await attempts.report({ request, ...(setup !== "" && { setup }), payload });
  return { sent: bodies.pop() ?? "", log: logged(report, "request").join("\n") };
}

describe("secrets that only the agent knows", () => {
  attack("C5", "a script sends whatever is in its environment, by loops and by names that it puts together", async (held) => {
    const thief = `const name = ["SERVICE", "SECRET", "OPEN"].join("_");
      request.body = JSON.stringify([process.env, process.env[name], Object.keys(process.env).map((key) => process.env[key])]) + "{{" + name + "}}";`;
    const { sent } = await sentBy(thief, "");
    for (const [name, value] of Object.entries(environment)) expect([name, sent.includes(value)]).toEqual([name, false]);
    const honest = await sentBy("request.body = process.env.SERVICE_SECRET_OPEN;", "");
    expect(honest.sent).toBe(environment.SERVICE_SECRET_OPEN);
    held("a script is given the secrets that its text names", "0 of 4 given");
  });

  attack("C5", "a check of somebody else names secrets that are bound to other checks, groups and tags", async (held) => {
    const body = bound.map((name) => `{{${name}}}`).join(" ");
    const read = `request.body += ${bound.map((name) => `process.env.${name}`).join(" + ")};`;
    const strangers = { checkId: randomUUID(), groupId: 9, tags: ["payment", "PAYMENTS"] };
    for (const [setup, how] of [
      ["", "template"],
      [read, "script"],
    ] as const) {
      const { sent, log } = await sentBy(setup, body, strangers);
      for (const value of ["secret-of-one-check", "secret-of-one-group", "secret-of-one-tag"])
        expect([how, value, sent.includes(value)]).toEqual([how, value, false]);
      expect(log).toContain(`these secrets of the agent are for other checks: ${bound.join(", ")}`);
    }
    const owner = await sentBy("", body, { checkId: mine.check.toUpperCase(), groupId: mine.group, tags: ["a", mine.tag] });
    expect(owner.sent).toBe("secret-of-one-check secret-of-one-group secret-of-one-tag");
    held("a bound secret is given to its checks alone, and the log says so", "0 of 3 given");
  });

  attack("C5", "a secret that a check may not have comes back in an answer, and is masked all the same", async (held) => {
    await using echo = await httpServer((_request, response) => void response.end(Object.values(environment).join(" ")));
    const report = await attempts.report({ request: { method: "GET", url: echo.url }, payload: { checkId: randomUUID() } });
    for (const name of ["SERVICE_SECRET_OPEN", ...bound] as const)
      expect(report.detail.response?.body).not.toContain(environment[name as keyof typeof environment]);
    held("all secrets of the agent are searched for, given or not", "0 of 4 found");
  });

  attack("C5", "an operator makes a mistake in a binding, and the secret would be for all", (held) => {
    using folder = temporaryFolder();
    const write = (name: string, text: string): void => writeFileSync(join(folder.path, name), text, { mode: 0o600 });
    const start = (env: Record<string, string> = {}): unknown =>
      createAgentSecrets(secretSources(env, folder.path), logOf().log, { monotonicMs: () => 0 });
    write("db", "a-value-that-no-message-shows");
    for (const [text, message] of [
      ["checks:1", /db\.for has "checks:1"; write check:<id>, group:<number> or tag:<name>/],
      ["check:7", /db\.for has "check:7"/],
      ["group:mine", /db\.for has "group:mine"/],
      ["# nobody\n\n", /db\.for names no check, group or tag/],
    ] as const) {
      write("db.for", text);
      expect(start).toThrow(message);
      expect(start).not.toThrow(/a-value-that/);
    }
    write("db.for", `# who may\ncheck:${mine.check}\n\ntag:two words`);
    expect(start).not.toThrow();
    write("other.for", "tag:x");
    expect(start).toThrow("SERVICE_SECRET_OTHER is bound to checks, groups or tags, but there is no such secret");
    expect(() => start({ SERVICE_SECRET_OTHER: "x1y2z3", SECRET_FOR_DB: "nonsense" })).toThrow(/SECRET_FOR_DB has "nonsense"/);
    expect(() => start({ SERVICE_SECRET_OTHER: "x1y2z3" })).not.toThrow();
    held("the agent does not start with it", "7 mistakes, each told by its place");
  });
});
