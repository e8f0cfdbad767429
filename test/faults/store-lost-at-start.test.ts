import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, it } from "vitest";
import { outpostProgram } from "../support/built-program.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { proxyCutAt } from "../support/proxy-cut-at.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());
const postgres = engines.list.find(({ name }) => name === "PostgreSQL");

it.skipIf(postgres === undefined)(
  `a control plane whose database goes away while it starts says so in a sentence and ends with 4, for whoever starts it again${postgres === undefined ? ": no PostgreSQL" : ""}`,
  { timeout: 80_000 },
  async () => {
    const url = new URL((await postgres?.databaseUrl()) ?? "");
    const proxy = await proxyCutAt('"removed_at" is null order by "id"', Number(url.port), "is gone");
    url.host = `127.0.0.1:${proxy.port}`;
    const env = {
      PATH: process.env["PATH"],
      DATABASE_URL: url.href,
      DATA_DIR: mkdtempSync(join(tmpdir(), "lost-")),
      PORT: "0",
      LOG_LEVEL: "ERROR",
    };
    const child = spawn(process.execPath, [...outpostProgram(), "control-plane"], { env, stdio: ["ignore", "ignore", "pipe"] });
    const [[code], said] = await Promise.all([once(child, "exit"), text(child.stderr)]);
    expect(proxy.hasCut()).toBe(true);
    const lines = said.split("\n").filter((line) => line !== "");
    expect(lines.map((line) => JSON.parse(line) as object).filter((line) => "exitCode" in line)).toMatchObject([
      {
        level: "error",
        exitCode: 4,
        msg: expect.stringMatching(/^The database went away \(.+\)\. Start again when it answers\.$/) as string,
      },
    ]);
    expect(code).toBe(4);
    proxy.end();
  },
);
