import { expect } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane/control-plane-under-test.ts";
import { get } from "../control-plane/pages/get.ts";
import { answerTo, dnsServer, resourceRecord } from "../support/dns-server.ts";
import { attack } from "./attack.ts";

const domain = "status.example.com";

/** A name server that knows the TXT records of `zone`, by their names. */
function zoneServer(zone: ReadonlyMap<string, readonly string[]>) {
  return dnsServer((name, _type, { packet }) => {
    const texts = zone.get(name);
    if (texts === undefined) return { rcode: "NXDOMAIN" };
    const data = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
    return { packets: [answerTo(packet, { answers: texts.map((text) => resourceRecord(16, data(text))) })] };
  });
}

async function otherAccount({ context, keyFor }: ControlPlaneUnderTest): Promise<string> {
  const { id } = await context.storage.accounts.create({
    uuid: crypto.randomUUID(),
    name: "Other",
    runtimeId: "2026.04",
    nowMs: context.nowMs(),
  });
  return keyFor("OWNER", id);
}

const pageNamed = (name: string): object => ({ name, url: name.toLowerCase(), customDomain: domain, cards: [] });

async function recordOf(plane: ControlPlaneUnderTest, key: string): Promise<{ name: string; value: string }> {
  const { body } = await plane.call("GET", "/v1/page-domains", { key });
  return body[0].record;
}

attack(
  "D6",
  "a page at a domain of somebody else, with the console's name for it taken away",
  async (held) => {
    const zone = new Map<string, readonly string[]>();
    await using server = await zoneServer(zone);
    await using plane = await controlPlaneUnderTest({ PUBLIC_URL: "https://outpost.example.com", PAGE_DOMAIN_DNS: server.address });
    const front = async (): Promise<string> => (await get(plane.base, "/", { host: domain })).text;
    const signIn = async (): Promise<number> => (await get(plane.base, "/sign-in", { host: domain })).status;
    const squatter = await otherAccount(plane);
    expect((await plane.call("POST", "/v1/status-pages", { key: squatter, body: pageNamed("Squatter") })).status).toBe(201);
    expect(await front()).not.toContain("Squatter");
    expect(await signIn()).toBe(200);
    await eventually(async () => server.asked.length === 1);
    for (let asked = 0; asked < 20; asked += 1) await front();
    expect(server.asked).toEqual([`_outpost-challenge.${domain}`]);

    // The squatter's claim keeps the owner of the domain neither from claiming nor from proving it.
    expect((await plane.call("POST", "/v1/status-pages", { body: pageNamed("Owner") })).status).toBe(201);
    const { name, value } = await recordOf(plane, plane.ownerKey);
    const { value: squatterValue } = await recordOf(plane, squatter);
    expect([name, value === squatterValue]).toEqual([`_outpost-challenge.${domain}`, false]);
    zone.set(name, ["v=spf1 -all", value]);
    await front(); // what was found lately is not asked for again
    expect(server.asked).toHaveLength(1);
    plane.advance(60_000);
    await eventually(async () => (await front()).includes("<h1>Owner</h1>"));
    plane.advance(10_000);
    expect(await signIn()).toBe(404);

    // Proved by one account, it is taken for all others, and stays so without further questions.
    const { status, body } = await plane.call("POST", "/v1/dashboards", { key: squatter, body: { header: "x", customDomain: domain } });
    expect([status, body.message]).toEqual([409, `"customDomain" is taken: another page has ${domain}`]);
    zone.set(name, [squatterValue]);
    plane.advance(120_000);
    expect(await front()).toContain("<h1>Owner</h1>");
    expect(server.asked).toHaveLength(2);

    // A page that gives its domain away must prove it anew.
    const { id } = (await plane.call("GET", "/v1/status-pages")).body.entries[0];
    const put = (change: object) => plane.call("PUT", `/v1/status-pages/${id}`, { body: { ...pageNamed("Owner"), ...change } });
    await put({ name: "Renamed", url: "renamed" });
    expect(await front()).toContain("<h1>Renamed</h1>");
    await put({ customDomain: "elsewhere.example.com" });
    await put({});
    expect(await front()).not.toContain("<h1>Owner</h1>");
    held("a TXT record of the account in the domain's zone");
  },
  60_000,
);

attack(
  "D6",
  "a domain whose name servers never answer",
  async (held) => {
    await using server = await dnsServer(() => "silence");
    await using plane = await controlPlaneUnderTest({ PUBLIC_URL: "https://outpost.example.com", PAGE_DOMAIN_DNS: server.address });
    await plane.call("POST", "/v1/status-pages", { body: pageNamed("Slow") });
    const begun = server.asked.length;
    expect((await get(plane.base, "/sign-in", { host: domain })).status).toBe(200);
    await eventually(async () => server.asked.length > begun);
    expect((await get(plane.base, "/", { host: domain })).text).not.toContain("<h1>Slow</h1>");
    held("nobody waits for name servers");
  },
  60_000,
);
