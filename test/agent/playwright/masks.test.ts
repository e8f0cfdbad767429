import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";
import { readZip } from "../../support/zip-file.ts";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

const secret = "hunter2-is-long";

/** Text in red is a secret, text in blue is none: a picture is looked at in a page of its own, and its pixels of each colour are counted. */
const script = `const { expect, test } = require("@playwright/test");
test.use({ viewport: { width: 600, height: 300 } });
async function colours(context, png) {
  const page = await context.newPage();
  await page.goto(process.env.URL + "/empty");
  const counts = await page.evaluate(async (data) => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const drawn = canvas.getContext("2d");
    drawn.drawImage(image, 0, 0);
    const { data: bytes } = drawn.getImageData(0, 0, image.width, image.height);
    const counts = { red: 0, blue: 0 };
    for (let at = 0; at < bytes.length; at += 4) {
      const [red, green, blue] = bytes.subarray(at, at + 3);
      if (red > 150 && green < 120 && blue < 120) counts.red += 1;
      if (blue > 150 && green < 120 && red < 120) counts.blue += 1;
    }
    return counts;
  }, png.toString("base64"));
  await page.close();
  return counts;
}
const show = async (page, name) => console.log(name + " " + JSON.stringify(await colours(page.context(), await page.screenshot())));
const goTo = (page, path) => page.goto(process.env.URL + path);
test("text", async ({ page }) => {
  await goTo(page, "/text");
  await show(page, "text");
  expect(await page.getByTestId("secret").textContent()).toBe("token " + process.env.TOKEN);
});
test("later text", async ({ page }) => {
  await goTo(page, "/empty");
  await page.evaluate((text) => { document.title = text; document.body.innerHTML = '<h1 style="color: red">' + text + "</h1><h2>shown</h2>"; }, process.env.TOKEN);
  await show(page, "later");
  await page.evaluate(() => { document.adoptedStyleSheets = []; document.querySelector("h1").firstChild.data += document.title; });
  await show(page, "changed");
});
test("fill colour", async ({ page }) => {
  await goTo(page, "/fill");
  await show(page, "fill");
});
test("shadow", async ({ page }) => {
  await goTo(page, "/shadow");
  await show(page, "shadow");
});
test("shadow that comes late", async ({ page }) => {
  await goTo(page, "/late-shadow");
  await show(page, "late-shadow");
});
test("frames", async ({ page }) => {
  await goTo(page, "/frames");
  await page.frameLocator("iframe").nth(1).getByTestId("secret").waitFor();
  await page.waitForTimeout(300);
  await show(page, "frames");
});
test("pop-up", async ({ page }) => {
  await goTo(page, "/empty");
  const [popUp] = await Promise.all([page.waitForEvent("popup"), page.evaluate(() => void open("/text"))]);
  await popUp.getByTestId("secret").waitFor();
  await popUp.waitForTimeout(100);
  await show(popUp, "pop-up");
});
test("field", async ({ page }) => {
  await goTo(page, "/field");
  await page.getByRole("textbox").fill(process.env.TOKEN);
  console.log("field " + await page.getByRole("textbox").evaluate((field) => getComputedStyle(field).webkitTextSecurity));
  await page.getByRole("textbox").fill("other");
  console.log("emptied " + await page.getByRole("textbox").evaluate((field) => getComputedStyle(field).webkitTextSecurity));
});
test("what the page's scripts see", async ({ page }) => {
  await goTo(page, "/empty");
  console.log("scripts " + await page.evaluate(() => typeof globalThis.outpostMasks));
});`;

const red = `<h1 style="color: blue" data-testid="secret">token <b style="color: red">${secret}</b></h1><h2>shown</h2>`;
const shadow = `<script>document.getElementById("host").attachShadow({ mode: "open" }).innerHTML = '<h1 style="color: red">${secret}</h1>'</script>`;
/** What stands behind it is sent when the page has long been drawn up to here. */
const later = "<!-- later -->";
const pages: Readonly<Record<string, string>> = {
  "/empty": "",
  "/text": red,
  "/fill": `<h1 style="color: red; -webkit-text-fill-color: red; text-shadow: 0 40px red">${secret}</h1><h2>shown</h2>`,
  "/shadow": `<div id="host"></div>${shadow}<h2>shown</h2>`,
  "/late-shadow": `<div id="host"></div>${later}${shadow}<h2>shown</h2>`,
  "/field": '<input style="color: red; font-size: 30px" value="">',
};

describe.skipIf(missing !== null)("secrets in pictures of pages", () => {
  let tested: EngineUnderTest;
  let server: HttpServer;
  beforeAll(async () => {
    server = await httpServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://x");
      const elsewhere = `http://localhost:${new URL(server.url).port}/text`;
      const frames = `<iframe src="/text"></iframe><iframe src="${elsewhere}"></iframe><h2>shown</h2>`;
      const style = "<style>h1 { font: bold 24px sans-serif; margin: 4px; white-space: nowrap } h2 { color: blue }</style>";
      const [first, rest] = `<!doctype html>${style}<body>${pages[pathname] ?? frames}</body>`.split(later);
      response.setHeader("content-type", "text/html").write(first);
      setTimeout(() => response.end(rest), rest === undefined ? 0 : 150);
    });
    tested = await EngineUnderTest.start();
  });
  afterAll(async () => {
    await tested[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  async function toldBy(secrets: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const run = await tested.run("BROWSER", script, { environment: { URL: server.url, TOKEN: secret }, secrets });
    expect([run.failure, run.result.errors]).toEqual([null, []]);
    return Object.fromEntries(run.result.jobLog.map(({ msg }) => [msg.split(" ", 1)[0], msg.slice(msg.indexOf(" ") + 1)]));
  }
  const pictures = ["text", "later", "changed", "fill", "shadow", "late-shadow", "frames", "pop-up"] as const;

  it("are black, whatever shows them; all else is as it was, and no script of a page has them", async () => {
    const told = await toldBy([secret, "one-that-the-run-has-not"]);
    const without = await toldBy([]);
    for (const name of pictures) {
      const [masked, bare] = [told, without].map((one) => JSON.parse(one[name] ?? "{}") as { red: number; blue: number });
      expect([name, Math.abs((masked?.blue ?? 0) / (bare?.blue ?? 1) - 1) < 0.05]).toEqual([name, true]); // a shadow may lie on it
      expect([name, (bare?.red ?? 0) > 200]).toEqual([name, true]); // it is there to be seen
      expect([name, masked?.red ?? Number.NaN]).toEqual([name, 0]);
    }
    expect(told).toMatchObject({ field: "disc", emptied: "none", scripts: "undefined" });
    expect(without["field"]).toBe("none");
  });

  const filmed = `const { test } = require("@playwright/test");
test.use({ viewport: { width: 600, height: 300 }, video: { mode: "on", size: { width: 600, height: 300 } } });
test("filmed", async ({ page }) => {
  for (const path of ["/text", "/shadow", "/fill", "/empty", "/text"]) {
    await page.goto(process.env.URL + path);
    await page.waitForTimeout(400);
  }
});`;

  it.skipIf(!existsSync(ffmpeg))("are black in each picture of a trace and of a video, too", async () => {
    const filmedWith = async (secrets: readonly string[]): Promise<readonly Film[]> => {
      const { failure, files } = await tested.run("BROWSER", filmed, {
        environment: { URL: server.url, TOKEN: secret },
        secrets,
        keepsAll: true,
      });
      expect(failure).toBeNull();
      const contentOf = (ending: string): Buffer => {
        const { content } = files.find(({ name }) => name.endsWith(ending)) ?? { content: Buffer.alloc(0) };
        if (Buffer.isBuffer(content)) return content;
        return "file" in content ? readFileSync(content.file) : Buffer.alloc(0);
      };
      const pictures = Object.entries(readZip(contentOf(".zip"))).filter(([name]) => name.endsWith(".jpeg"));
      return [pictures.map(([, content]) => Buffer.from(content, "latin1")), [contentOf(".webm")]].map((each) =>
        each.flatMap(framesOf).map(coloursOf),
      );
    };
    const [masked, bare] = [await filmedWith([secret]), await filmedWith([])];
    for (const film of bare) expect(film.some(({ red }) => red > 200)).toBe(true); // it is there to be seen
    for (const film of masked) {
      expect(film.length).toBeGreaterThan(4);
      expect(film.some(({ blue }) => blue > 200)).toBe(true);
      expect(film.filter(({ red }) => red > 0)).toEqual([]);
    }
  });
});

const ffmpeg = "/usr/bin/ffmpeg";
const [width, height] = [600, 300];
type Film = readonly { readonly red: number; readonly blue: number }[];

/** The frames of a video, or a picture as the only one: three bytes a pixel. */
function framesOf(file: Buffer): Buffer[] {
  const words = ["-v", "error", "-i", "pipe:0", "-vf", `scale=${width}:${height}`, "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"];
  const { stdout, stderr } = spawnSync(ffmpeg, words, { input: file, maxBuffer: 2 ** 30 });
  if (stdout.length === 0) throw new Error(stderr.toString());
  const bytes = width * height * 3;
  return Array.from({ length: stdout.length / bytes }, (_, at) => stdout.subarray(at * bytes, (at + 1) * bytes));
}

function coloursOf(frame: Buffer): Film[number] {
  const counts = { red: 0, blue: 0 };
  for (let at = 0; at < frame.length; at += 3) {
    const [red = 0, green = 0, blue = 0] = frame.subarray(at, at + 3);
    if (red > 150 && green < 120 && blue < 120) counts.red += 1;
    if (blue > 150 && green < 120 && red < 120) counts.blue += 1;
  }
  return counts;
}
