import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readGuide } from "../../../src/control-plane/pages/guide/guide.ts";
import { guideAddress, guideLink, headingAnchor } from "../../../src/control-plane/pages/guide/guide-addresses.ts";
import { readGuideDocument } from "../../../src/control-plane/pages/guide/guide-markdown.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

const guide = readGuide();
const documents = guide.addresses.flatMap((address) => {
  const document = guide.documentAt(address);
  return document === undefined ? [] : [[address, document] as const];
});

describe("the guide", () => {
  it.each([
    ["README.md", "/docs/guide"],
    ["docs/checks.md", "/docs/guide/checks"],
    ["docs/operations/network.md", "/docs/guide/operations/network"],
    ["docs/architecture/README.md", "/docs/guide/architecture"],
    ["charts/agent/README.md", "/docs/guide/charts/agent"],
    ["docs/operations/proxies/nginx.conf", "/docs/guide/operations/proxies/nginx.conf"],
  ])("has %s at %s", (file, address) => expect(guideAddress(file)).toBe(address));

  it.each([
    ["../checks.md#dns", "/docs/guide/checks#dns"],
    ["network.md", "/docs/guide/operations/network"],
    ["#here", "#here"],
    ["https://example.com/a", "https://example.com/a"],
    ["mailto:alerts@example.com", undefined],
    ["../../src/up.ts", undefined],
    ["../../../etc/passwd", undefined],
  ])("takes the link %s of a document to %s", (href, to) => {
    expect(guideLink("docs/operations/sizing.md", href, new Set(["docs/checks.md", "docs/operations/network.md"]))).toBe(to);
  });

  it("names headings as GitHub does, and a second one of a name apart", () => {
    expect(headingAnchor("Try `one` check: [DNS](dns.md), *now*")).toBe("try-one-check-dns-now");
    const { title, sections, body } = readGuideDocument(
      "# All\n\n## Limits\n\nA *few*.\n\n## Limits\n\n| A | B |\n|---|---|\n| `x` | y &amp; z |\n",
      () => undefined,
    );
    expect(title).toBe("All");
    expect(sections.map(({ anchor, text }) => [anchor, text])).toEqual([
      ["all", ""],
      ["limits", "A few."],
      ["limits-1", "A B x y & z"],
    ]);
    expect(body.text).toContain('<h2 id="limits-1">Limits</h2>');
    expect(body.text).toContain('<div class="wide" tabindex="0"><table>');
  });

  it("keeps the words of a link that leads out of it", () => {
    const { body } = readGuideDocument("See [the *code*](../src/up.ts) and [more](more.md).", (href) =>
      href === "more.md" ? "/docs/guide/more" : undefined,
    );
    expect(body.text).toBe('<p>See the <em>code</em> and <a href="/docs/guide/more">more</a>.</p>\n');
  });

  it("lists its pages in the groups of the README", () => {
    expect(guide.contents.map(({ name }) => name)).toEqual(["Try it", "Use it", "Run it", "Extend it"]);
    expect(guide.contents[0]?.pages[0]).toEqual({ name: "First steps", href: "/docs/guide/first-steps" });
  });

  it("has no link, picture or line of its lists that leads nowhere", () => {
    const anchors = new Map([...documents].map(([address, { sections }]) => [address, new Set(sections.map(({ anchor }) => anchor))]));
    const leadsNowhere = (from: string, href: string): boolean => {
      const [path = "", anchor] = (href.startsWith("#") ? from + href : href).split("#");
      if (!path.startsWith("/docs/guide")) return !/^https?:/.test(href);
      const document = anchors.get(path);
      return document === undefined ? guide.fileAt(path) === undefined : anchor !== undefined && !document.has(anchor);
    };
    const links = documents.flatMap(([address, { body }]) =>
      [...body.text.matchAll(/\b(?:href|src|srcset)="([^"]*)"/g)].map(([, href = ""]) => [address, href] as const),
    );
    const listed = guide.contents.flatMap(({ pages }) => pages.map(({ href }) => ["/docs/guide", href] as const));
    expect(links.length).toBeGreaterThan(200);
    expect([...links, ...listed].filter(([from, href]) => leadsNowhere(from, href))).toEqual([]);
  });

  it.each([
    ["private ca", "/docs/guide/operations/network"],
    ["JOB_CONCURRENCY", "/docs/guide/configuration"],
    ["brwser chek", "/docs/guide/browser-checks"],
    ["status page", "/docs/guide/pages"],
  ])("finds %s", async (words, address) => {
    expect((await guide.search(words)).slice(0, 10).map(({ href }) => href.split("#")[0])).toContain(address);
  });

  it("finds nothing rather than anything", async () => expect(await guide.search("qwertyuiop zzz")).toEqual([]));

  it("makes its index in many small steps, so that other work goes on", async () => {
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await readGuide().search("proxy");
    isOver = true;
    expect(turns).toBeGreaterThan(guide.addresses.length);
  });

  it("looks at eight words of a question, and at whole words where they are short", async () => {
    expect((await guide.search("proxy proxy proxy")).length).toBeGreaterThan(0);
    expect(await guide.search("a b c d e f g h proxy")).toEqual(await guide.search("a b c d e f g h"));
    expect((await guide.search("pr")).map(({ heading }) => heading)).not.toContain("Proxies");
  });
});

describe("the guide over HTTP", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
  });
  afterAll(() => plane[Symbol.asyncDispose]());
  const get = (path: string) => fetch(plane.base + path, { redirect: "manual" });

  it("is there for everybody, packed, with its pictures and samples", async () => {
    const page = await get("/docs/guide/first-steps");
    expect([page.status, page.headers.get("content-encoding"), page.headers.get("cache-control")]).toEqual([
      200,
      "gzip",
      "public, max-age=3600",
    ]);
    expect(await page.text()).toContain('<a href="/docs/guide/first-steps" aria-current="page">First steps</a>');
    const picture = await get("/docs/guide/screens/checks-light.png");
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
    const sample = await get("/docs/guide/operations/proxies/nginx.conf");
    expect([sample.headers.get("content-type"), (await sample.text()).includes("proxy_read_timeout")]).toEqual([
      "text/plain; charset=utf-8",
      true,
    ]);
  });

  it("shows what was searched, and no markup of it", async () => {
    const text = await (await get(`/docs/guide/search?q=${encodeURIComponent('proxy <img src=x onerror="a">')}`)).text();
    expect(text).not.toContain("<img src=x");
    expect(await (await get("/docs/guide/search?q=proxy")).text()).toMatch(/<h1>\d+ sections found for “proxy”<\/h1>/);
    expect((await get(`/docs/guide/search?q=${"a".repeat(5000)}`)).status).toBe(200);
  });

  it.each(["nothing", "..%2f..%2fpackage.json", "%2e%2e/%2e%2e/package.json", "../../package.json", "checks.md", "%00"])(
    "has nothing at %s",
    async (path) => {
      expect([400, 404]).toContain((await get(`/docs/guide/${path}`)).status);
    },
  );
});
