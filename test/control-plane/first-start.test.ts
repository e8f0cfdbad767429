import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { freePort } from "../support/free-ports.ts";
import { OutpostProcess } from "../support/processes.ts";

describe("the first start of a control plane", () => {
  it("is healthy no sooner than its key is written, and takes that key", { timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "outpost-first-"));
    const port = await freePort();
    try {
      await using plane = new OutpostProcess(["control-plane"], { DATA_DIR: folder, PORT: String(port) }, folder);
      const base = `http://127.0.0.1:${port}`;
      const isOk = (): Promise<boolean> =>
        fetch(`${base}/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      while (!(await isOk())) await pause(2);
      const file = join(folder, "credentials.json");
      expect(existsSync(file)).toBe(true);
      const { apiKey } = JSON.parse(readFileSync(file, "utf8")) as { apiKey: string };
      const answer = await fetch(`${base}/v1/checks`, { headers: { authorization: `Bearer ${apiKey}` } });
      expect(answer.status).toBe(200);
      const setUp = await fetch(`${base}/sign-in`);
      expect([setUp.status, plane.stderr]).toEqual([200, expect.not.stringContaining('"level":"error"')]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
