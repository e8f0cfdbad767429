import { afterAll, beforeAll, expect } from "vitest";
import { SandboxUnderTest } from "../agent/sandbox/sandbox-under-test.ts";
import { type Attempts, attemptsWith, logged } from "../agent/scripts/scripted-attempts.ts";
import { type HttpServer, httpServer } from "../support/http-servers/http-server.ts";
import { attack } from "./attack.ts";
import { asUsualMs } from "./cpu-of.ts";
import { longestTurn } from "./longest-turn.ts";

/** The longest that one turn of the loop may take. */
const limitMs = 100;

let tested: SandboxUnderTest;
let attempts: Attempts;
let server: HttpServer;
beforeAll(async () => {
  tested = await SandboxUnderTest.start();
  attempts = attemptsWith(tested.sandbox);
  server = await httpServer((_request, response) => response.end("ok"));
  await attempts.report({ request: { url: server.url }, setup: `process.env.SERVICE_SECRET_FIRST = "the first of all"` }); // loads what is loaded once
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await tested[Symbol.asyncDispose]();
});

const setting = (count: number, value: string): string =>
  `for (let n = 0; n < ${count}; n++) { process.env["SERVICE_SECRET_" + n] = ${value}; } console.log(process.env.SERVICE_SECRET_7);`;
const random = `require("node:crypto").randomBytes(24).toString("base64")`;

for (const [what, code] of [
  ["1,900 secrets", setting(1_900, random)],
  [
    "one secret of 1,900 lines",
    `process.env.SERVICE_SECRET_7 = Array.from({ length: 1900 }, () => ${random}).join("\\n"); console.log(process.env.SERVICE_SECRET_7);`,
  ],
  // Variations, which a limit on characters alone holds.
  [
    "one secret of 1 MB (a variation)",
    `process.env.SERVICE_SECRET_7 = require("node:crypto").randomBytes(500_000).toString("hex"); console.log(process.env.SERVICE_SECRET_7);`,
  ],
  [
    "a cookie of 1,900 values (a variation)",
    `request.headers.Cookie = Array.from({ length: 1900 }, (_, n) => "c" + n + "=" + ${random}).join("; ");`,
  ],
] as const) {
  attack("E2", `a script that sets ${what}`, async (held) => {
    const { result, ms } = await longestTurn(() => attempts.report({ request: { url: server.url }, setup: code }));
    expect(asUsualMs(ms, limitMs)).toBeLessThan(limitMs);
    const [line, ...more] = logged(result, "setup");
    expect(line).toMatch(/^ERROR the setup scripts set [\d]+ secrets .+ at most 50 with 16384 characters in all can be masked/);
    expect(more).toEqual([]);
    expect(result.errorMessage).toMatch(/^ESCRIPT: the setup scripts set/);
    held("50 lines and 16 KB of secrets of scripts' own", `${ms.toFixed(0)} ms of CPU in one turn (limit ${limitMs})`);
  });
}

attack("E2", "a script that sets as many secrets as it may (a control: within the limits)", async (held) => {
  const code = setting(50, `require("node:crypto").randomBytes(150).toString("base64")`);
  const { result, ms } = await longestTurn(() => attempts.report({ request: { url: server.url }, setup: code }));
  expect(logged(result, "setup")).toEqual(["INFO ********"]);
  expect(asUsualMs(ms, limitMs)).toBeLessThan(limitMs);
  held("made ready in slices, and masked", `${ms.toFixed(0)} ms of CPU in one turn (limit ${limitMs})`);
});
