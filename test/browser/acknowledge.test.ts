import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MailServer, mailServer } from "../control-plane/alerting/channels/mail-server.ts";
import { type AlertingSite, alertingSite, down } from "../control-plane/alerting-site.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { eventually } from "../control-plane/control-plane-under-test.ts";
import { axeProblems } from "../support/axe.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { signedIn } from "./signed-in.ts";

/** From the mail server of the tests to the console, as somebody on call with a phone goes. */
describe.skipIf(noChromium !== null)("acknowledging from a mail in a real browser", { timeout: 120_000 }, () => {
  let server: MailServer;
  let plane: AlertingSite;
  let browser: WatchedBrowser;
  beforeAll(async () => {
    server = await mailServer();
    plane = await alertingSite(undefined, { SMTP_URL: `smtp://127.0.0.1:${server.port}`, SMTP_FROM: "outpost@shop.example" });
    browser = await watchedBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it("takes one look and one press, without signing in, and colleagues see who did it", async () => {
    const owner = await firstOwner(plane);
    await plane.call("POST", "/v1/alert-channels", {
      body: { type: "EMAIL", config: { address: "ops@example.com" }, autoSubscribe: true },
    });
    await plane.run(await plane.make({ name: "Shop" }), down);
    const mail = await eventually(async () => server.mails[0]);
    const link = /href="(http:[^"]+\/alerts\/respond\/[^"]+)"/.exec(mail.source.replaceAll("=\r\n", "").replaceAll("=3D", "="))?.[1] ?? "";

    const phone = await browser.reader({ viewport: { width: 390, height: 800 } });
    const page = await phone.newPage();
    await page.goto(link);
    await page.getByRole("heading", { name: "Shop" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    // Its state stands in a line of text, as everywhere.
    expect((await page.locator(".state svg").boundingBox())?.height).toBeLessThan(40);
    const desk = await (await signedIn(browser, plane.base, owner, { baseURL: plane.base })).newPage();
    await desk.goto("/alerts");
    await desk.getByRole("button", { name: "Acknowledge Shop" }).waitFor();

    await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
    await page.getByRole("status").filter({ hasText: "Acknowledged" }).waitFor();
    await desk.goto("/alerts?state=acknowledged");
    await desk.getByText("Acknowledged by link sent to ops@example.com until").waitFor();
    await desk.getByRole("link", { name: /^View timeline/ }).click();
    await desk.getByRole("heading", { name: "Timeline" }).waitFor();
    await desk.getByRole("textbox", { name: "Comment" }).fill("The disk of the database is full.");
    await desk.getByRole("button", { name: "Add comment" }).click();
    await desk.getByText("Comment by Ada").waitFor();
    expect(await axeProblems(desk)).toEqual([]);
    expect(browser.takeTroubles()).toEqual([]);
  });
});
