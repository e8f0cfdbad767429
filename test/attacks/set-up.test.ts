import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect } from "vitest";
import { OutpostProcess } from "../support/processes.ts";
import { attack } from "./attack.ts";

const told = "there is no owner yet: open this address to create the first one";
const withheld = "there is no owner yet: `outpost set-up` prints the address to create the first one";

describe("the address that makes the first owner", () => {
  attack(
    "D6",
    "an address that makes owners, read from the log of a later start",
    async (held) => {
      const dataDir = await mkdtemp(join(tmpdir(), "outpost-test-"));
      const env = { DATA_DIR: dataDir, PORT: "0", PUBLIC_URL: "https://outpost.example" };
      const startedLog = async (message: string): Promise<{ readonly log: string; readonly address: unknown }> => {
        await using process = new OutpostProcess(["control-plane"], env, "/");
        const { address } = await process.logged(message);
        return { log: process.stderr, address };
      };
      const first = await startedLog(told);
      expect(first.address).toMatch(/^https:\/\/outpost\.example\/set-up\?token=[0-9a-f]{40}$/);
      expect((await startedLog(told)).address).toBe(first.address);

      const store = new DatabaseSync(join(dataDir, "outpost.db"));
      store.exec("update accounts set created_at = created_at - 3600000");
      store.close();
      const token = String(first.address).split("=")[1] ?? "";
      expect((await startedLog(withheld)).log).not.toContain(token);

      await using command = new OutpostProcess(["set-up"], env, "/");
      expect([await command.exit(40_000), command.stdout]).toEqual([0, `${String(first.address)}\n`]);
      await rm(dataDir, { recursive: true });
      held("the log has it in the account's first hour only; a command prints it");
    },
    120_000,
  );
});
