import { afterAll, describe, expect, it } from "vitest";
import { enginesUnderTest } from "../support/engines.ts";
import { type MailServer, mailServer, type ReceivedMail } from "./alerting/channels/mail-server.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "./control-plane-under-test.ts";
import { FakeAgent, reportOf } from "./fake-agent.ts";

const day = 86_400_000;
const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

interface Site extends ControlPlaneUnderTest {
  readonly pageId: string;
  readonly serviceId: string;
  /** As a browser sends the form. */
  readonly form: (path: string, fields?: Readonly<Record<string, string>>) => Promise<{ readonly status: number; readonly text: string }>;
  readonly incident: (changes?: object) => Promise<string>;
  readonly subscriptions: () => Promise<readonly { readonly address: string; readonly status: string }[]>;
}

async function site(server: MailServer | null, env: Readonly<Record<string, string>> = {}): Promise<Site> {
  const smtp = server === null ? {} : { SMTP_URL: `smtp://127.0.0.1:${server.port}`, SMTP_FROM: "Status <status@shop.example>" };
  const plane = await controlPlaneUnderTest({ ...smtp, ...env });
  const serviceId = (await plane.call("POST", "/v1/status-pages/services", { body: { name: "Checkout" } })).body.id;
  const cards = [{ name: "Buying", services: [{ id: serviceId }] }];
  const pageId = (await plane.call("POST", "/v1/status-pages", { body: { name: "Shop", url: "shop", cards } })).body.id;
  const services = [{ id: serviceId, name: "Checkout", accountId: plane.account.uuid }];
  const updates = [{ description: "Card payments fail.\nWe look into it.", status: "INVESTIGATING", notifySubscribers: true }];
  return {
    ...plane,
    pageId,
    serviceId,
    form: async (path, fields = {}) => {
      const response = await fetch(`${plane.base}${path}`, { method: "POST", body: new URLSearchParams(fields) });
      return { status: response.status, text: await response.text() };
    },
    incident: async (changes = {}) => {
      const body = { name: "Payments", severity: "MAJOR", services, incidentUpdates: updates, ...changes };
      const { status, body: made } = await plane.call("POST", "/v1/status-pages/incidents", { body });
      expect(status).toBe(201);
      return made.id;
    },
    subscriptions: async () => (await plane.call("GET", `/v1/status-pages/${pageId}/subscriptions`)).body,
  };
}

const received = (server: MailServer, count: number, address = ""): Promise<readonly ReceivedMail[]> =>
  eventually(async () => {
    const mails = server.mails.filter(({ to }) => to.some((one) => one.includes(address)));
    return mails.length >= count && mails;
  });
/** Quoted-printable breaks lines and hides signs. */
const plain = (mail: ReceivedMail | undefined): string =>
  (mail?.source ?? "")
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
const linkIn = (mail: ReceivedMail | undefined, purpose: string): string =>
  new RegExp(`http://[^/\\s]+(/subscriptions/[^/\\s]+/${purpose})`).exec(plain(mail))?.[1] ?? "no link";
const subscribeInBulk = (plane: Site, addresses: readonly string[], autoVerify = true) =>
  plane.call("POST", `/v1/status-pages/${plane.pageId}/subscriptions/bulk`, {
    body: { subscriptions: addresses.map((config) => ({ type: "EMAIL", config })), autoVerify },
  });

describe.each(engines.list)("following a status page by mail on $name", { timeout: 120_000 }, (engine) => {
  const env = async (): Promise<Readonly<Record<string, string>>> => {
    const url = await engine.databaseUrl();
    return url === undefined ? {} : { DATABASE_URL: url };
  };

  it("takes a wish, a click on a link in the mail, and a second click; and one to end it", async () => {
    await using server = await mailServer();
    await using plane = await site(server, await env());
    const answer = await plane.form("/status/SHOP/subscribe", { address: " ada@example.com " });
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining("Check your mail") });
    expect(await plane.subscriptions()).toMatchObject([{ address: "ada@example.com", status: "PENDING" }]);
    const ofAda = (count: number) => received(server, count, "ada@example.com");
    const [asked] = await ofAda(1);
    expect(asked).toMatchObject({
      to: ["ada@example.com"],
      headers: { from: "Status <status@shop.example>", subject: "[Shop] Confirm your subscription" },
    });
    // Who did not confirm hears nothing while others do.
    await subscribeInBulk(plane, ["bob@example.com"]);
    await plane.incident();
    await received(server, 1, "bob@example.com");

    const confirm = linkIn(asked, "confirm");
    expect((await plane.call("GET", confirm)).text).toContain("Confirm subscription");
    expect(await plane.subscriptions()).toMatchObject([{ status: "PENDING" }, {}]);
    expect(await plane.form(confirm)).toMatchObject({ status: 200, text: expect.stringContaining("You are subscribed") });
    expect((await plane.call("GET", confirm)).text).toContain("You are subscribed");
    expect(await plane.subscriptions()).toMatchObject([{ status: "VERIFIED" }, {}]);

    const id = await plane.incident();
    const [, opened] = await ofAda(2);
    const unsubscribe = linkIn(opened, "unsubscribe");
    expect(opened?.headers).toMatchObject({
      subject: "[Shop] Investigating: Payments",
      "list-unsubscribe": `<${plane.base}${unsubscribe}>`,
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
      "auto-submitted": "auto-generated",
    });
    for (const part of ["Card payments fail.", "Affected: Checkout", "Severity: partial outage", `${plane.base}/status/shop`])
      expect(plain(opened)).toContain(part);
    await plane.call("POST", `/v1/status-pages/incidents/${id}/incident-updates`, {
      body: { description: "Over.", status: "RESOLVED", notifySubscribers: true },
    });
    const [, , resolved] = await ofAda(3);
    expect(resolved?.headers["subject"]).toBe("[Shop] Resolved: Payments");
    expect(resolved?.headers["references"]).toBe(opened?.headers["references"]);

    expect((await plane.call("GET", unsubscribe)).text).toContain("Unsubscribe</button>");
    expect(await plane.subscriptions()).toHaveLength(2);
    expect((await plane.form(unsubscribe, { "List-Unsubscribe": "One-Click" })).text).toContain("You are unsubscribed");
    expect(await plane.subscriptions()).toMatchObject([{ address: "bob@example.com" }]);
    expect((await plane.form(unsubscribe)).text).toContain("You are unsubscribed");
    expect((await plane.call("GET", unsubscribe)).text).toContain("You are unsubscribed");
    expect((await plane.call("GET", confirm)).status).toBe(404);
  });

  it("tells of incidents that checks open and resolve", async () => {
    await using server = await mailServer();
    await using plane = await site(server, await env());
    await subscribeInBulk(plane, ["ada@example.com"]);
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
    const triggerIncident = {
      serviceId: plane.serviceId,
      severity: "MAJOR",
      name: "Checkout fails",
      description: "We look.",
      notifySubscribers: true,
    };
    const { id: checkId } = (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name: "Shop", triggerIncident }) })).body;
    for (const [n, report] of [{ hasFailures: true, statusCode: 503 }, {}].entries()) {
      await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
      const [job] = await agent.lease(1, 5);
      await agent.report(reportOf(job!, report));
      await received(server, n + 1);
    }
    expect(server.mails.map(({ headers }) => headers["subject"])).toEqual([
      "[Shop] Investigating: Checkout fails",
      "[Shop] Resolved: Checkout fails",
    ]);
  });

  it("tells of maintenance before it, when it begins and by updates that ask for it", async () => {
    await using server = await mailServer();
    await using plane = await site(server, await env());
    await subscribeInBulk(plane, ["ada@example.com"]);
    await eventually(async () => (await plane.controlPlane.storage.marks.find("maintenance told until")) !== undefined);
    const clock = (inMinutes: number): string => new Date(plane.context.nowMs() + inMinutes * 60_000).toISOString();
    const body = {
      name: "Database updates",
      description: "The shop is read-only.",
      startsAt: clock(90),
      endsAt: clock(180),
      repeatUnit: "",
      statusPageVisibility: {
        enabled: true,
        notifyOnStart: true,
        notifyOnEnd: true,
        reminderMinutesBefore: [60],
        serviceIds: [plane.serviceId],
      },
    };
    const made = (await plane.call("POST", "/v1/maintenance-windows", { body })).body;
    plane.advance(31 * 60_000);
    const [reminder] = await received(server, 1);
    expect(reminder?.headers["subject"]).toBe("[Shop] Planned: Database updates");
    for (const part of ["The shop is read-only.", "Affected: Checkout", "Maintenance from ", "/unsubscribe", `${plane.base}/status/shop`])
      expect(plain(reminder)).toContain(part);
    plane.advance(60 * 60_000);
    const [, began] = await received(server, 2);
    expect(began?.headers["subject"]).toBe("[Shop] In progress: Database updates");
    expect(began?.headers["references"]).toBe(reminder?.headers["references"]);
    const path = `/v1/maintenance-windows/${made.id}/maintenances`;
    const [maintenance] = (await plane.call("GET", path)).body;
    const told = { status: "COMPLETED", description: "Faster than thought.", notifySubscribers: true };
    expect((await plane.call("POST", `${path}/${maintenance.id}/updates`, { body: told })).status).toBe(201);
    plane.advance(10_000);
    const [, , ended] = await received(server, 3);
    expect(ended?.headers["subject"]).toBe("[Shop] Completed: Database updates");
    expect(plain(ended)).toContain("Faster than thought.");
    // An incident's mail comes after all that was told of the maintenance, so its end was told once.
    plane.advance(4 * 60 * 60_000);
    await plane.incident();
    await received(server, 4);
    expect(server.mails.map(({ headers }) => headers["subject"]).filter((subject) => subject?.includes("Completed"))).toHaveLength(1);
  });

  it("waits for a mail server that is away, and each subscriber gets one mail", async () => {
    let isAway = true;
    await using server = await mailServer({
      onRcptTo: ({ address }, _session, callback) =>
        callback(isAway ? Object.assign(new Error(`later, <${address}>`), { responseCode: 451 }) : null),
    });
    await using plane = await site(server, await env());
    await subscribeInBulk(plane, ["ada@example.com", "bob@example.com"]);
    await plane.incident();
    await eventually(async () => plane.logLines.filter((line) => line.includes("could not notify a subscriber; retrying")).length === 2);
    isAway = false;
    plane.advance(60_000);
    const mails = await received(server, 2);
    expect(mails.flatMap(({ to }) => to).toSorted()).toEqual(["ada@example.com", "bob@example.com"]);
    expect(plane.logLines.join("\n")).not.toContain("ada@example.com");
  });
});

describe("subscriptions under attack", { timeout: 120_000 }, () => {
  it("answer the same for an address that is new, waits or is subscribed, and write to it once", async () => {
    await using server = await mailServer();
    await using plane = await site(server);
    await subscribeInBulk(plane, ["sub@example.com"]);
    const wish = async (address: string) => (await plane.form("/status/shop/subscribe", { address })).text.replaceAll(address, "…");
    const first = await wish("new@example.com");
    expect(await wish("new@example.com")).toBe(first);
    expect(await wish("NEW@example.com")).toBe(first.replaceAll("…", "…"));
    expect(await wish("sub@example.com")).toBe(first);
    await wish("end@example.com");
    await received(server, 2);
    expect(server.mails.flatMap(({ to }) => to).toSorted()).toEqual(["end@example.com", "new@example.com"]);
  });

  it.each(["", "nobody", "a@b", "a@example.com\r\nBcc: eve@example.com", `${"a".repeat(250)}@example.com`, '"><img src=x>@example.com'])(
    "refuse %j as an address, with the form and what was typed as text",
    async (address) => {
      await using server = await mailServer();
      await using plane = await site(server);
      const { status, text } = await plane.form("/status/shop/subscribe", { address });
      expect(status).toBe(400);
      expect(text).toContain("This is not a valid e-mail address");
      expect(text).not.toContain("<img");
      expect(await plane.subscriptions()).toEqual([]);
    },
  );

  it("take no link that was not made for it", async () => {
    await using server = await mailServer();
    await using plane = await site(server);
    await plane.form("/status/shop/subscribe", { address: "ada@example.com" });
    const [mail] = await received(server, 1);
    const confirm = linkIn(mail, "confirm");
    const [uuid, proof] = (confirm.split("/")[2] ?? "").split(".");
    const wrong = [
      `/subscriptions/${uuid}.${proof}/unsubscribe`,
      `/subscriptions/${uuid}.${(proof ?? "").replace(/^./, (sign) => (sign === "0" ? "1" : "0"))}/confirm`,
      `/subscriptions/${uuid}/confirm`,
      `/subscriptions/${crypto.randomUUID()}.${proof}/confirm`,
    ];
    for (const path of wrong) expect([path, (await plane.form(path)).status]).toEqual([path, 404]);
    plane.advance(8 * day);
    expect((await plane.call("GET", confirm)).status).toBe(404);
    expect((await plane.form(confirm)).status).toBe(404);
    expect((await plane.subscriptions()).filter(({ status }) => status === "VERIFIED")).toEqual([]);
  });

  it("are bounded by where the wishes come from", async () => {
    await using server = await mailServer();
    await using plane = await site(server);
    const statuses: number[] = [];
    for (let n = 0; n < 31; n++) statuses.push((await plane.form("/status/shop/subscribe", { address: "no address" })).status);
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 400), 429]);
  });

  it("are not offered where there is no page, and none where no mail is sent", async () => {
    await using server = await mailServer();
    await using plane = await site(server);
    expect((await plane.form("/status/other/subscribe", { address: "ada@example.com" })).status).toBe(404);
    expect((await plane.call("GET", "/status/shop")).text).toContain('<form method="post" action="/status/shop/subscribe">');
    await using mailless = await site(null);
    expect((await mailless.form("/status/shop/subscribe", { address: "ada@example.com" })).status).toBe(404);
    expect(await mailless.subscriptions()).toEqual([]);
    expect((await mailless.call("GET", "/status/shop")).text).not.toContain("<form");
  });
});
