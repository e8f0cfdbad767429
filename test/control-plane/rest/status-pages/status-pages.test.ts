import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../../control-plane-under-test.ts";

describe("status pages", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({ PAGE_DOMAINS: "trusted" });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const post = (path: string, body: unknown, key?: string) =>
    plane.call("POST", `/v1/status-pages${path}`, { body, ...(key !== undefined && { key }) });
  const otherKey = async (): Promise<string> => {
    const account = { uuid: randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: Date.now() };
    return plane.keyFor("OWNER", (await plane.context.storage.accounts.create(account)).id);
  };
  const service = async (name: string, key?: string) => (await post("/services", { name }, key)).body;
  const incident = (services: readonly object[], changes: object = {}, key?: string) =>
    post("/incidents", { name: "Slow", severity: "MINOR", services, incidentUpdates: [{ description: "We look." }], ...changes }, key);
  let page = 0;
  const newPage = (changes: object = {}, key?: string) =>
    post("", { name: "Shop", url: `page-${(page += 1)}`, cards: [], ...changes }, key);

  it("show services in cards; a service that goes disappears from them", async () => {
    const [a, b] = [await service("Search"), await service("Checkout")];
    const { status, body } = await newPage({ cards: [{ name: "All", services: [{ id: b.id }, { id: a.id }] }, { name: "None" }] });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "Shop", description: null, defaultTheme: "AUTO", isPrivate: false, whiteLabel: true });
    expect(body.cards[0].services).toEqual([b, a]);
    expect(body.cards[1]).toMatchObject({ name: "None", services: [], updated_at: null });
    expect((await plane.call("DELETE", `/v1/status-pages/services/${b.id}`)).status).toBe(204);
    expect((await plane.call("GET", `/v1/status-pages/services/${b.id}`)).status).toBe(404);
    expect((await plane.call("GET", `/v1/status-pages/${body.id}`)).body.cards[0].services).toEqual([a]);
  });

  it("are replaced; cards that are named keep their id and age", async () => {
    const { body: before } = await newPage({ description: "Old", cards: [{ name: "One" }, { name: "Two" }] });
    const [one, two] = before.cards;
    const { body } = await plane.call("PUT", `/v1/status-pages/${before.id}`, {
      body: {
        name: "New",
        url: before.url,
        cards: [
          { id: two.id, name: "Two!" },
          { id: two.id, name: "Again" },
          { id: randomUUID(), name: "X" },
        ],
      },
    });
    expect(body).toMatchObject({ name: "New", description: null });
    expect(body.cards[0]).toEqual({ ...two, name: "Two!", updated_at: expect.any(String) });
    const known = [one.id, two.id];
    for (const card of body.cards.slice(1)) expect(known).not.toContain(card.id);
    expect((await plane.call("GET", `/v1/status-pages/${before.id}`)).body).toMatchObject(body);
  });

  it("share no address with another page, whichever kind it is", async () => {
    const { body } = await newPage({ url: "Taken", customDomain: "status.example.com" });
    const key = await otherKey();
    expect(await newPage({ url: "taken" }, key)).toMatchObject({ status: 409, body: { attributes: { field: "url" } } });
    expect((await newPage({ customDomain: "STATUS.example.com" }, key)).body.message).toContain('"customDomain" is taken');
    const dashboard = { header: "x", customUrl: "taken", customDomain: "status.example.com" };
    expect((await plane.call("POST", "/v1/dashboards", { body: dashboard })).body.message).toContain('"customDomain" is taken');
    expect((await plane.call("DELETE", `/v1/status-pages/${body.id}`)).status).toBe(204);
    expect((await newPage({ url: "taken", customDomain: "status.example.com" }, key)).status).toBe(201);
    expect((await plane.call("POST", "/v1/dashboards", { body: { ...dashboard, customDomain: "" } })).status).toBe(201);
  });

  it("refuse services of another account, naming the field", async () => {
    const foreign = await service("Theirs", await otherKey());
    expect((await newPage({ cards: [{ name: "A" }, { name: "B", services: [{ id: foreign.id }] }] })).body).toMatchObject({
      statusCode: 400,
      message: `"cards[1].services[0].id" names no service of this account; received "${foreign.id}"`,
    });
    expect((await incident([foreign])).body.message).toContain('"services[0].id" names no service');
  });

  it("are named by checks that open incidents", async () => {
    const [mine, foreign] = [await service("Mine"), await service("Theirs", await otherKey())];
    const incidentOf = (id: string) => ({ serviceId: id, severity: "MAJOR", name: "Down", description: "", notifySubscribers: false });
    const body = apiCheck({ triggerIncident: incidentOf(mine.id) });
    const { body: check } = await plane.call("POST", "/v1/checks/api", { body });
    expect(check.triggerIncident.serviceId).toBe(mine.id);
    const message = `"triggerIncident.serviceId" names no service of this account; received "${foreign.id}"`;
    const refused = { status: 400, body: { message } };
    const foreignBody = apiCheck({ triggerIncident: incidentOf(foreign.id) });
    expect(await plane.call("POST", "/v1/checks/api", { body: foreignBody })).toMatchObject(refused);
    const path = `/v1/checks/api/${check.id}`;
    expect(await plane.call("PUT", path, { body: { triggerIncident: incidentOf(foreign.id) } })).toMatchObject(refused);
    // Its service may go; the check can still be changed.
    await plane.call("DELETE", `/v1/status-pages/services/${mine.id}`);
    expect((await plane.call("PUT", path, { body: { name: "Other" } })).status).toBe(200);
  });

  it.each([
    [{ url: "a b" }, "url"],
    [{ logo: "data:image/png;base64,xx" }, "logo"],
    [{ description: "x".repeat(501) }, "description"],
    [{ cards: undefined }, "cards"],
    [{ themeColors: { light: { bodyBackgroundColor: "red" } } }, "themeColors.light.bodyBackgroundColor"],
  ])("refuse %o, naming the field", async (changes, field) => {
    const { status, body } = await newPage(changes);
    expect(status).toBe(400);
    expect(body.message).toContain(`"${field}"`);
  });

  it("are listed with their open incidents only", async () => {
    const key = await otherKey();
    const [a, b] = [await service("A", key), await service("B", key)];
    const { body: first } = await newPage({ cards: [{ name: "Card", services: [{ id: a.id }] }] }, key);
    await newPage({}, key);
    const { body: open } = await incident([a, b], {}, key);
    await incident([b], {}, key);
    const { body: ended } = await incident([a], {}, key);
    await post(`/incidents/${ended.id}/incident-updates`, { description: "Over", status: "RESOLVED" }, key);
    const { body } = await plane.call("GET", "/v1/status-pages", { key });
    expect(body).toMatchObject({ length: 2, nextId: null });
    expect(body.entries.map(({ incidents }: { incidents: unknown }) => incidents)).toEqual([[open], []]);
    expect(body.entries[0]).toMatchObject({ id: first.id, accountId: a.accountId, keys: [], updated_at: null });
  });

  it("are listed by a cursor that rows which go do not disturb", async () => {
    const key = await otherKey();
    const names = ["1", "2", "3", "4", "5"];
    const made: { id: string }[] = [];
    for (const name of names) made.push(await service(name, key));
    const list = async (query: string) => (await plane.call("GET", `/v1/status-pages/services?${query}`, { key })).body;
    const first = await list("limit=2");
    expect(first).toMatchObject({ length: 2, entries: made.slice(0, 2) });
    await plane.call("DELETE", `/v1/status-pages/services/${made[1]?.id}`, { key });
    const second = await list(`limit=3&nextId=${first.nextId}`);
    expect(second).toEqual({ length: 3, entries: made.slice(2), nextId: null });
    expect(await list("paginated=false&limit=1")).toMatchObject({ length: 4, nextId: null });
    expect(await list("nextId=nonsense")).toMatchObject({ statusCode: 400 });
  });

  describe("incidents", () => {
    it("follow their latest update", async () => {
      const struck = await service("Mail");
      const { status, body } = await incident([struck], {
        lastUpdateStatus: "RESOLVED",
        duration: 12,
        incidentUpdates: [{ description: "We look.", publicIncidentUpdateDate: "2026-05-04T10:00:00+02:00" }],
      });
      expect(status).toBe(201);
      expect(body).toMatchObject({ services: [struck], lastUpdateStatus: "INVESTIGATING", duration: null });
      expect(body.incidentUpdates).toMatchObject([{ status: "INVESTIGATING", publicIncidentUpdateDate: "2026-05-04T08:00:00.000Z" }]);
      const updates = `/incidents/${body.id}/incident-updates`;
      const solved = { description: "Done.", status: "RESOLVED", publicIncidentUpdateDate: "2026-05-04T08:10:00Z" };
      const { body: last } = await post(updates, solved);
      await post(updates, { description: "Found.", status: "IDENTIFIED", publicIncidentUpdateDate: "2026-05-04T08:05:00Z" });
      const resolved = (await plane.call("GET", `/v1/status-pages/incidents/${body.id}`)).body;
      expect(resolved).toMatchObject({ lastUpdateStatus: "RESOLVED", duration: 600_000 });
      expect((await plane.call("GET", `/v1/status-pages${updates}`)).body).toEqual(resolved.incidentUpdates);
      expect((await plane.call("GET", `/v1/status-pages${updates}/${last.id}`)).body).toEqual(last);
      const changed = await plane.call("PUT", `/v1/status-pages${updates}/${last.id}`, {
        body: { description: "Well.", status: "MONITORING" },
      });
      expect(changed.body).toEqual({ ...last, description: "Well.", status: "MONITORING" });
      expect((await plane.call("DELETE", `/v1/status-pages${updates}/${last.id}`)).status).toBe(204);
      expect((await plane.call("DELETE", `/v1/status-pages${updates}/${last.id}`)).status).toBe(404);
      expect((await plane.call("GET", `/v1/status-pages/incidents/${body.id}`)).body).toMatchObject({
        lastUpdateStatus: "IDENTIFIED",
        duration: null,
      });
    });

    it("are replaced without their updates, and listed newest first", async () => {
      const key = await otherKey();
      const [a, b] = [await service("A", key), await service("B", key)];
      const { body: old } = await incident([a], {}, key);
      const { body: newer } = await incident([a], { incidentUpdates: [] }, key);
      const change = { ...old, name: "Fast", severity: "CRITICAL", services: [b, b] };
      const { body } = await plane.call("PUT", `/v1/status-pages/incidents/${old.id}`, { key, body: change });
      expect(body).toEqual({ ...old, name: "Fast", severity: "CRITICAL", services: [b], updated_at: expect.any(String) });
      expect((await plane.call("GET", "/v1/status-pages/incidents", { key })).body.entries).toEqual([newer, body]);
      expect((await plane.call("DELETE", `/v1/status-pages/incidents/${old.id}`, { key })).status).toBe(204);
      expect((await plane.call("GET", `/v1/status-pages/incidents/${old.id}`, { key })).status).toBe(404);
    });

    it("need a service", async () => {
      expect((await incident([])).body.message).toContain('"services" must not be empty');
    });
  });

  describe("subscriptions", () => {
    const subscribe = (id: string, addresses: readonly string[], autoVerify = false) =>
      post(`/${id}/subscriptions/bulk`, { subscriptions: addresses.map((config) => ({ type: "EMAIL", config })), autoVerify });

    it("are made once per address and page", async () => {
      const [{ body: one }, { body: two }] = [await newPage(), await newPage()];
      expect(await subscribe(one.id, ["a@example.com", "A@Example.com", "b@example.com"])).toMatchObject({
        status: 201,
        body: { created: 2, skipped: 1, status: "PENDING" },
      });
      expect((await subscribe(one.id, ["b@example.com", "c@example.com"], true)).body).toEqual({
        created: 1,
        skipped: 1,
        status: "VERIFIED",
      });
      expect((await subscribe(two.id, ["a@example.com"])).body).toMatchObject({ created: 1 });
      const list = async () => (await plane.call("GET", `/v1/status-pages/${one.id}/subscriptions`)).body;
      const statuses = (await list()).map(({ address, status }: { address: string; status: string }) => [address.toLowerCase(), status]);
      expect(statuses.toSorted()).toEqual([
        ["a@example.com", "PENDING"],
        ["b@example.com", "PENDING"],
        ["c@example.com", "VERIFIED"],
      ]);
      const [first] = await list();
      expect((await plane.call("DELETE", `/v1/status-pages/${two.id}/subscriptions/${first.id}`)).status).toBe(404);
      expect((await plane.call("DELETE", `/v1/status-pages/${one.id}/subscriptions/${first.id}`)).status).toBe(204);
      expect(await list()).toHaveLength(2);
    });

    it("refuse what is no address, and then subscribe nobody", async () => {
      const { body: page } = await newPage();
      const { status, body } = await subscribe(page.id, ["a@example.com", "nobody"]);
      expect(status).toBe(400);
      expect(body.message).toContain('"subscriptions[1].config" must be a valid email');
      expect((await plane.call("GET", `/v1/status-pages/${page.id}/subscriptions`)).body).toEqual([]);
    });

    it("go with their page", async () => {
      const { body: page } = await newPage();
      await subscribe(page.id, ["a@example.com"]);
      const { documents } = plane.context.storage;
      const parentId = (await documents.find(plane.account.id, "status-page", { uuid: page.id }))?.id ?? 0;
      const count = async () => (await documents.list(plane.account.id, "status-page-subscription", { parentId })).total;
      expect(await count()).toBe(1);
      await plane.call("DELETE", `/v1/status-pages/${page.id}`);
      expect(await count()).toBe(0);
      expect((await plane.call("GET", `/v1/status-pages/${page.id}/subscriptions`)).status).toBe(404);
    });
  });

  it("are absent for another account, with everything below them", async () => {
    const mine = await service("Mine");
    const { body: page } = await newPage({ cards: [{ name: "A", services: [{ id: mine.id }] }] });
    const { body: event } = await incident([mine]);
    const key = await otherKey();
    const update = `/incidents/${event.id}/incident-updates`;
    const calls = [
      ["GET", `/${page.id}`],
      ["PUT", `/${page.id}`, { name: "x", url: "x-y", cards: [] }],
      ["DELETE", `/${page.id}`],
      ["GET", `/${page.id}/subscriptions`],
      ["POST", `/${page.id}/subscriptions/bulk`, { subscriptions: [{ type: "EMAIL", config: "a@example.com" }] }],
      ["GET", `/services/${mine.id}`],
      ["PUT", `/services/${mine.id}`, { name: "x" }],
      ["DELETE", `/services/${mine.id}`],
      ["GET", `/incidents/${event.id}`],
      ["DELETE", `/incidents/${event.id}`],
      ["GET", update],
      ["POST", update, { description: "x" }],
      ["GET", `${update}/${event.incidentUpdates[0].id}`],
      ["PUT", `${update}/${event.incidentUpdates[0].id}`, { description: "x" }],
      ["DELETE", `${update}/${event.incidentUpdates[0].id}`],
    ] as const;
    for (const [method, path, body] of calls) {
      expect((await plane.call(method, `/v1/status-pages${path}`, { key, body })).status, `${method} ${path}`).toBe(404);
    }
  });
});
