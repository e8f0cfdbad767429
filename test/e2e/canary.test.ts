import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { alertReaders } from "../support/canary/alert-readers.ts";
import { type Canaries, makeCanaries, makeClientCertificate } from "../support/canary/canaries.ts";
import type { Canary } from "../support/canary/canary.ts";
import { plant } from "../support/canary/plant.ts";
import { readAccount } from "../support/canary/read-account.ts";
import { makePeople, readPages } from "../support/canary/read-pages.ts";
import { filesBelow, type Sighting, searchFor, storedRows, type Trace } from "../support/canary/search.ts";
import { Story } from "../support/canary/story.ts";
import { type TellingTargets, tellingTargets } from "../support/canary/telling-targets.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { proxyServer } from "../support/http-servers/proxy-server.ts";
import { makeScriptRuntime } from "../support/script-runtime.ts";
import { Site } from "../support/site.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

const controlPlaneFiles = "files of the control plane";

describe.each(engines.list)("secrets in every field that takes one, on $name", ({ databaseUrl }) => {
  it("stand nowhere else, whatever happens: not in a log, result, file, table, answer or metric, in no encoding", async () => {
    const canaries = makeCanaries();
    const certificate = makeClientCertificate(canaries.passphrase.value);
    await using runtime = await makeScriptRuntime();
    await using proxy = await proxyServer();
    const url = withPassword(await databaseUrl(), canaries);
    await using readers = await alertReaders(canaries);
    await using site = await Site.start({ databaseUrl: url, env: { ...controlPlaneEnv(canaries), ...readers.env } });
    const people = await makePeople(site, canaries);
    using operator = operatorsFolder(canaries);
    await using targets = await targetsTelling(canaries, certificate.canary);
    const planted = await plant(site, canaries, certificate, targets, proxy.port, readers);
    const all: readonly Canary[] = [...Object.values(canaries), certificate.canary, ...planted.issued];
    const env = { ...agentEnv(canaries, proxy.port), SECRETS_DIR: operator.secrets, RUNTIMES_DIR: runtime.folder };
    const story = new Story(site, planted, targets, env);
    await story.runEverything();
    await readers.arrived();
    const pages = await readPages(site, people, planted.openPages);
    await story.loseTheControlPlane();
    await story.crash();

    const checkId = [...Object.values(planted.checks), planted.heldCheck, planted.proxiedCheck];
    const known = { checkId, groupId: [planted.groupId], checkSessionId: story.sessions, accountId: [planted.accountId] };
    const readAs = async (reading: (path: string) => Promise<Response>): Promise<Trace[]> =>
      await readAccount(async (path) => {
        const reply = await reading(path);
        return { ok: reply.ok, bytes: Buffer.from(await reply.arrayBuffer()) };
      }, known);
    const asOwner = await readAs((path) => site.fetch(path));
    const asLowest = await readAs((path) => fetch(site.base + path, { headers: { authorization: `Bearer ${planted.lowKey}` } }));
    await story.stopEverything();
    const folder = site.env["DATA_DIR"] ?? "";
    const rows = await storedRows(url === undefined ? { sqlite: join(folder, "outpost.db") } : { url });

    const search = searchFor(all);
    const files = filesBelow(folder, controlPlaneFiles);
    expect(told(search(story.traces()), nowhere)).toEqual([]);
    expect(told(search(files), nowhere)).toEqual([]);
    expect(told(search(rows), nowhere)).toEqual([]);
    expect(told(search(asOwner), ({ readBy }) => readBy?.writers)).toEqual([]);
    expect(told(search(asLowest), ({ readBy }) => readBy?.lowest)).toEqual([]);
    expect(told(search(readers.traces()), ({ sentTo }) => sentTo)).toEqual([]);
    expect(told(search(pages.asOwner), ({ readBy }) => readBy?.writers)).toEqual([]);
    expect(told(search(pages.asReader), ({ readBy }) => readBy?.lowest)).toEqual([]);
    expect(told(search(pages.asStranger), nowhere)).toEqual([]);
    const read = Object.values(pages).map((traces) => traces.map(({ place }) => place).join("\n"));
    for (const part of ["/checks/", "/channels", "/locations", "/results"])
      for (const each of read.slice(0, 2)) expect(each).toContain(part);
    for (const open of planted.openPages) expect(read[2]).toContain(open);
    for (const answers of [asOwner, asLowest]) {
      const places = answers.map(({ place }) => place).join("\n");
      for (const file of ["response-body.txt", "response-body.bin", "traceroute.txt", "tls.txt", "dns.txt"])
        expect(places).toContain(`assets/${file}`);
      for (const part of ["error-events", "test-sessions/", "error-groups/", "prometheus", "client-certificates/"])
        expect(places).toContain(part);
    }
  }, 900_000); // two minutes where it is alone
});

const nowhere = (): undefined => undefined;

/** What stands where it may not. */
function told(sightings: readonly Sighting[], allowed: (canary: Canary) => RegExp | undefined): string[] {
  return sightings
    .filter(({ canary, place }) => allowed(canary)?.test(place) !== true)
    .map(({ canary, place, path }) => `${canary.name} in ${place}: ${path}`);
}

function withPassword(databaseUrl: string | undefined, { databasePassword }: Canaries): string | undefined {
  if (databaseUrl === undefined) return undefined;
  const url = new URL(databaseUrl);
  url.password = databasePassword.value;
  return url.href;
}

function controlPlaneEnv({ pepper, encryptionKey }: Canaries): Record<string, string> {
  return { KEY_PEPPER: pepper.value, ENCRYPTION_KEY: encryptionKey.value, LOG_LEVEL: "DEBUG" };
}

/** What an operator gives an agent; and a bug that has all of it in its message. */
function agentEnv(canaries: Canaries, proxyPort: number): Record<string, string> {
  const { managementProxy, agentVariable } = canaries;
  const strikes = [managementProxy, agentVariable, canaries.agentFile, canaries.accountSecret, canaries.lockedHeader, canaries.jobProxy];
  return {
    HTTP_PROXY: `http://manager:${encodeURIComponent(managementProxy.value)}@127.0.0.1:${proxyPort}`,
    SERVICE_SECRET_AGENT: agentVariable.value,
    SERVICE_SECRET_NAME: canaries.agentName.value,
    SERVICE_SECRET_HOST: canaries.agentHost.value,
    NODE_OPTIONS: `--import=${import.meta.resolve("../agent/throw-on-signal.ts")}`,
    TEST_CANARIES: strikes.map(({ value }) => value).join(" "),
  };
}

function operatorsFolder({ agentFile }: Canaries): Disposable & { readonly secrets: string } {
  const folder = mkdtempSync(join(tmpdir(), "outpost-operator-"));
  const secrets = join(folder, "secrets");
  mkdirSync(secrets, { mode: 0o700 });
  writeFileSync(join(secrets, "file"), agentFile.value, { mode: 0o600 });
  return { secrets, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Each target tells what the run that asks it knows. */
function targetsTelling(canaries: Canaries, certificate: Canary): Promise<TellingTargets> {
  const { agentVariable, agentName, agentHost, agentFile, accountSecret, accountLocked, groupSecret, groupLocked } = canaries;
  const valuesOf = (...list: readonly Canary[]): string[] => list.map(({ value }) => value);
  const agent = valuesOf(agentVariable, agentFile, agentName, agentHost);
  const { lockedHeader, lockedParameter, authorization, cookie, apiKeyHeader, basicPassword } = canaries;
  const ofRequest = valuesOf(lockedHeader, lockedParameter, authorization, cookie, apiKeyHeader, basicPassword);
  const ofVariables = valuesOf(accountSecret, accountLocked, groupSecret, groupLocked);
  const plain = [...agent, ...ofRequest, ...ofVariables, ...certificate.pieces];
  return tellingTargets({
    agent,
    plain,
    scripted: [...plain, ...valuesOf(canaries.hostName, canaries.madeByScript)],
    plainText: agentName.value,
    hostName: agentHost.value,
    setCookie: canaries.setCookie.value,
  });
}
