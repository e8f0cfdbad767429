// Makes the store that a version leaves, for test/upgrade/upgrade.test.ts, on both engines:
//   node --conditions=source test/upgrade/make-fixture.ts 1.1.0 v1.1.0     a name for test/upgrade/fixtures, and a tag or commit
// Its control plane and its agent run; checks are made over REST and run; then the stopped store is kept. Add the name to `fixtureNames`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "../support/free-ports.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { OutpostProcess, until } from "../support/processes.ts";
import { type EarlierProgram, earlierProgram } from "./earlier-program.ts";
import { type Engine, type FixtureCheck, type FixtureContents, writeFixture } from "./fixture.ts";
import { RestClient } from "./rest-client.ts";
import { startTarget } from "./target.ts";

const keptFiles = ["pepper", "encryption.key"];

/** What versions of some days ago may not know is left out there: they answer 404. */
const others = [
  { path: "/v1/variables", body: { key: "UPGRADED", value: "still here" }, text: "still here" },
  { path: "/v1/variables", body: { key: "SEALED", value: "a secret", secret: true }, text: "SEALED" },
  { path: "/v1/snippets", body: { name: "kept snippet", script: "// kept" }, text: "kept snippet" },
  { path: "/v1/check-groups", body: { name: "kept group", concurrency: 2 }, text: "kept group" },
  {
    path: "/v1/alert-channels",
    body: { type: "WEBHOOK", config: { name: "kept hook", url: "https://hooks.example.com/1", method: "POST" } },
    text: "kept hook",
  },
  {
    path: "/v1/checks/heartbeat",
    body: { name: "kept heartbeat", activated: true, heartbeat: { period: 1, periodUnit: "days", grace: 1, graceUnit: "hours" } },
    reads: "/v1/checks",
    text: "kept heartbeat",
  },
];

const [name, ref] = process.argv.slice(2);
if (name === undefined || ref === undefined) throw new Error("name the fixture, and the tag or commit that makes it");
const program = earlierProgram(ref);
const postgres = await startPostgres({ own: true });
if (program === null || postgres === undefined) throw new Error("a fixture needs the commit and PostgreSQL");
await make(name, "sqlite", program, undefined);
await make(name, "postgres", program, postgres);
await postgres[Symbol.asyncDispose]();

async function make(fixture: string, engine: Engine, { words, commit }: EarlierProgram, server: TestPostgres | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "outpost-fixture-"));
  const dataDir = join(folder, "data");
  const port = await freePort();
  const databaseUrl = await server?.database("fixture");
  const secrets = databaseUrl === undefined ? {} : { KEY_PEPPER: "pepper-of-a-fixture-for-tests-only", ENCRYPTION_KEY: "f1".repeat(32) };
  const env = {
    DATA_DIR: dataDir,
    PORT: String(port),
    HOST: "127.0.0.1",
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    ...secrets,
  };
  const contents = await contentsOf({ env, dataDir, folder, words, base: `http://127.0.0.1:${port}` });
  const files =
    databaseUrl === undefined ? filesOf(dataDir) : { pepper: `${secrets.KEY_PEPPER}\n`, "encryption.key": `${secrets.ENCRYPTION_KEY}\n` };
  writeFixture(fixture, engine, { commit, ...contents, files }, databaseUrl === undefined ? sqliteFile(dataDir) : statements(databaseUrl));
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(
    `${fixture} on ${engine}: ${contents.checks.length} checks, ${contents.others.map(({ path }) => path).join(", ")}\n`,
  );
}

interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly dataDir: string;
  readonly folder: string;
  readonly words: readonly string[];
  readonly base: string;
}

async function contentsOf({ env, dataDir, folder, words, base }: Place): Promise<Omit<FixtureContents, "commit" | "files">> {
  await using controlPlane = new OutpostProcess(["control-plane"], env, folder, [], words);
  const credentials = join(dataDir, "credentials.json");
  await until("the first account", () => existsSync(credentials) && readFileSync(credentials, "utf8").length > 2);
  const ownerKey =
    Object.values(JSON.parse(readFileSync(credentials, "utf8")) as Record<string, string>).find((value) => /^[a-z]+_/.test(value)) ?? "";
  const rest = new RestClient(base, ownerKey);
  const location = await rest.location("berlin");
  const agentEnv = { API_KEY: location, API_URL: base, AGENT_HEALTH_PORT: "0", DATA_DIR: join(folder, "agent") };
  await using agent = new OutpostProcess(["agent"], agentEnv, folder, [], words);
  await using target = await startTarget();
  const checks: FixtureCheck[] = [];
  for (const path of ["ok", "broken"]) {
    const id = await rest.apiCheck(`kept check ${path}`, `${target.base}/${path}`, ["berlin"]);
    for (let run = 0; run < 3; run += 1) await rest.run(id);
    checks.push({ id, name: `kept check ${path}`, results: await rest.results(id) });
  }
  const made: { path: string; text: string }[] = [];
  for (const { path, body, text, reads } of others) {
    const status = await rest.tryPost(path, body);
    if (status < 300) made.push({ path: reads ?? path, text });
    else process.stdout.write(`${path}: ${status}\n`);
  }
  for (const child of [agent, controlPlane]) {
    child.signal("SIGTERM");
    await child.exit();
  }
  return { ownerKey, locationKey: location, location: "berlin", checks, others: made };
}

function filesOf(dataDir: string): Record<string, string> {
  const present = readdirSync(dataDir).filter((file) => keptFiles.includes(file));
  return Object.fromEntries(present.map((file) => [file, readFileSync(join(dataDir, file), "utf8")]));
}

/** In one file, without its log. */
function sqliteFile(dataDir: string): Buffer {
  const database = new DatabaseSync(join(dataDir, "outpost.db"));
  const copy = join(dataDir, "copy.db");
  database.exec(`vacuum into '${copy}'`);
  database.close();
  return readFileSync(copy);
}

/** Statements alone, which any client of any version of the server may send: no commands of psql, no settings of one version. */
function statements(databaseUrl: string): Buffer {
  const dump = execFileSync("pg_dump", ["--inserts", "--rows-per-insert=100", "--no-owner", "--no-privileges", databaseUrl], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const kept = dump.split("\n").filter((line) => !/^(\\|SET |SELECT pg_catalog\.set_config|--|$)/.test(line));
  return Buffer.from(`${kept.join("\n")}\n`);
}
