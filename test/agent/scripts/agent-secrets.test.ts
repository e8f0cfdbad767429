import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type AgentSecrets, createAgentSecrets, secretSources } from "../../../src/agent/scripts/agent-secrets.ts";
import { logOf, temporaryFolder } from "../agent-under-test.ts";

function folder(): string {
  const made = temporaryFolder();
  onTestFinished(() => made[Symbol.dispose]());
  return made.path;
}

function write(path: string, text: string, mode = 0o600): void {
  writeFileSync(path, text);
  chmodSync(path, mode);
}

/** Secrets of a folder, and a clock that a test turns on. */
function watched(
  path: string,
  env: Record<string, string> = {},
): { secrets: AgentSecrets; later: () => void; lines: ReturnType<typeof logOf>["lines"] } {
  const { log, lines } = logOf();
  let nowMs = 0;
  const secrets = createAgentSecrets(secretSources(env, path), log, { monotonicMs: () => nowMs });
  return { secrets, lines, later: () => void (nowMs += 5_000) };
}

describe("secrets of the agent", () => {
  it("are the variables of its environment with the prefix, and no others", () => {
    const { log } = logOf();
    const env = { SERVICE_SECRET_TOKEN: "abcdef", SERVICE_SECRET_: "none", SERVICE_SECRET_EMPTY: "", OTHER: "x", API_KEY: "pl_1" };
    const secrets = createAgentSecrets(secretSources(env, null), log, { monotonicMs: () => 0 });
    expect(secrets.variables()).toEqual({ SERVICE_SECRET_TOKEN: "abcdef" });
    expect(secrets.values()).toEqual(["abcdef"]);
  });

  it("are the files of the folder, by their names in upper case, which win over the environment", () => {
    const path = folder();
    write(join(path, "db-password"), "from the file\n");
    write(join(path, "service_secret_own.name"), "second");
    mkdirSync(join(path, "folder"));
    write(join(path, ".hidden"), "third", 0o644);
    const { secrets } = watched(path, { SERVICE_SECRET_DB_PASSWORD: "from the environment" });
    expect(secrets.variables()).toEqual({ SERVICE_SECRET_DB_PASSWORD: "from the file", SERVICE_SECRET_OWN_NAME: "second" });
  });

  it("are read where Kubernetes mounts them: links into a hidden folder", () => {
    const path = folder();
    mkdirSync(join(path, "..2026"));
    write(join(path, "..2026", "token"), "mounted", 0o440);
    symlinkSync("..2026", join(path, "..data"));
    symlinkSync("..data/token", join(path, "token"));
    expect(watched(path).secrets.variables()).toEqual({ SERVICE_SECRET_TOKEN: "mounted" });
  });

  it.each([
    [
      "a file that everybody may read",
      (path: string) => write(join(path, "token"), "told to nobody", 0o644),
      /SECRETS_DIR: .*token is open to every user .*chmod 600/,
    ],
    ["an empty file", (path: string) => write(join(path, "token"), " \n"), /token is empty/],
    [
      "a name that is none for a variable",
      (path: string) => write(join(path, "to ken"), "told to nobody"),
      /the name of .*to ken is none for a variable/,
    ],
    [
      "two files of one name",
      (path: string) => {
        write(join(path, "a-b"), "told to nobody");
        write(join(path, "a.b"), "told to nobody");
      },
      /are both SERVICE_SECRET_A_B/,
    ],
    ["a folder that is not there", (path: string) => rmSync(path, { recursive: true }), /cannot be read \(ENOENT\)/],
  ])("refuse %s at the start, without telling a value", (_title, spoil, message) => {
    const path = folder();
    spoil(path);
    expect(() => watched(path)).toThrow(message);
    expect(() => watched(path)).not.toThrow(/told to nobody/);
  });

  it("are read again when they changed, and keep their identity until then", () => {
    const path = folder();
    write(join(path, "token"), "first");
    const { secrets, later } = watched(path);
    const before = secrets.values();
    later();
    expect(secrets.values()).toBe(before);
    write(join(path, "token"), "second one");
    expect(secrets.values()).toBe(before);
    later();
    expect(secrets.values()).toEqual(["second one"]);
    write(join(path, "more"), "third");
    later();
    expect(secrets.variables()).toEqual({ SERVICE_SECRET_TOKEN: "second one", SERVICE_SECRET_MORE: "third" });
  });

  it("stay the last good ones while the folder is bad, with one warning", () => {
    const path = folder();
    write(join(path, "token"), "first");
    const { secrets, later, lines } = watched(path);
    chmodSync(join(path, "token"), 0o644);
    later();
    expect(secrets.values()).toEqual(["first"]);
    write(join(path, "token"), "second", 0o644);
    later();
    expect(secrets.values()).toEqual(["first"]);
    expect(lines.map(({ msg }) => msg)).toEqual(["could not reload the agent's secrets; keeping the previous ones"]);
    chmodSync(join(path, "token"), 0o600);
    later();
    expect(secrets.values()).toEqual(["second"]);
  });
});
