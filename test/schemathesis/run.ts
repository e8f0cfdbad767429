import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiKey } from "#contract/api-keys.ts";
import { scopeResources } from "#contract/key-scopes.ts";
import { controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { ExampleWorld } from "../control-plane/example-world.ts";

/*
 * Schemathesis against a whole control plane: every operation of the document, every check of Schemathesis, test cases from the document alone.
 *
 *   python3 -m venv /tmp/schemathesis && /tmp/schemathesis/bin/pip install -r test/schemathesis/requirements.txt
 *   SCHEMATHESIS=/tmp/schemathesis/bin/st node --conditions=source test/schemathesis/run.ts run --max-examples 20 --seed 1
 *   SCHEMATHESIS=… node --conditions=source test/schemathesis/run.ts fuzz --max-time 1200 --continue-on-failure --seed 1
 *
 * The key may do all that its role OWNER may, but revokes no keys: the run would end itself. `SCHEMATHESIS_REPORT` names a file for what was refused and why.
 */
const program = process.env["SCHEMATHESIS"] ?? "st";
const [command = "run", ...options] = process.argv.slice(2);
if (!existsSync(program)) throw new Error(`SCHEMATHESIS must name the program; there is no ${program}`);

await using plane = await controlPlaneUnderTest();
await ExampleWorld.build(plane);
const scopes = scopeResources.map((resource) => `${resource}:${resource === "api-keys" ? "read" : "write"}`);
const { body } = await plane.call(createApiKey.method, createApiKey.path, { body: { name: "Schemathesis", role: "OWNER", scopes } });
const folder = await mkdtemp(join(tmpdir(), "outpost-schemathesis-"));
const report = process.env["SCHEMATHESIS_REPORT"] ?? join(folder, "refusals.json");
const headers = { Authorization: `Bearer ${body.rawKey}`, "x-service-account": plane.account.uuid };
const checks = "--checks all --exclude-checks positive_data_acceptance --mode all".split(" ");
// Longer than an operation that waits: 30 seconds.
const bounds = "--request-timeout 40 --suppress-health-check all --generation-database none --no-color".split(" ");
const headerWords = Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
const given = [
  "--config-file",
  join(import.meta.dirname, "schemathesis.toml"),
  command,
  `${plane.base}/openapi.json`,
  ...checks,
  ...headerWords,
  ...bounds,
  ...options,
];
const child = spawn(program, given, {
  cwd: folder,
  stdio: "inherit",
  env: { ...process.env, SCHEMATHESIS_HOOKS: "hooks", PYTHONPATH: import.meta.dirname, OUTPOST_SCHEMATHESIS_REPORT: report },
});
const [code] = (await once(child, "exit")) as [number | null];
const errors = plane.logLines.filter((line) => /"level":"(?:error|fatal)"/.test(line));
process.stdout.write(`${errors.slice(0, 20).join("")}${errors.length} errors in the log of the control plane\n`);
if (existsSync(report)) process.stdout.write(`${await readFile(report, "utf8")}\n`);
process.exitCode = code ?? 1;
