import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scrubFile } from "../../../src/agent/scrub/scrub-file.ts";
import { bundleOf } from "../../support/code-bundle.ts";
import { findSecret } from "../../support/find-secret.ts";
import { readZip, zipFile } from "../../support/zip-file.ts";

const secret = "kTz+9f/31c07e2b=enters";
const never = new AbortController().signal;

/** As Playwright writes it: a page that has all that was seen as a zip file. */
const page = (zip: Buffer, script = ""): string =>
  `<!DOCTYPE html><title>Report</title><script>${script}</script><script id="playwrightReportBase64" type="application/zip">data:application/zip;base64,${zip.toString("base64")}</script>`;
const zipIn = (text: string): Buffer => Buffer.from(/base64,([\w+/=]{28,})</.exec(text)?.[1] ?? "", "base64");

describe("a page that carries a zip file", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "outpost-scrub-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function scrubbed(name: string, content: Buffer | string) {
    const [from, to] = [join(folder, name), join(folder, "out")];
    writeFileSync(from, content);
    const verdict = await scrubFile({ from, to, secrets: [secret], signal: never });
    return { verdict, bytes: verdict.is === "withheld" ? Buffer.alloc(0) : readFileSync(to) };
  }
  const seen = (text: string): Buffer => zipFile([{ name: "report.json", content: text }]);

  it("leaves without a secret that is packed in it, and can be read as before", async () => {
    const { verdict, bytes } = await scrubbed(
      "index.html",
      page(seen(`{"step":"Fill \\"${secret}\\""}`), `var a = "data:application/zip;base64,"`),
    );
    expect(verdict.is).toBe("scrubbed");
    const { "report.json": seenThere = "" } = readZip(zipIn(bytes.toString()));
    expect(findSecret(Buffer.from(seenThere), secret)).toEqual([]);
    expect(seenThere).toContain('"step":"Fill ');
    expect(bytes.toString()).toContain("<title>Report</title>");
  });

  it("is kept byte for byte where nothing is in it", async () => {
    const clean = page(seen('{"step":"Click"}'));
    const { verdict, bytes } = await scrubbed("index.html", clean);
    expect([verdict.is, bytes.toString()]).toEqual(["clean", clean]);
  });

  it("in the archive of a report, beside traces, is looked at like everything else", async () => {
    const archive = bundleOf([
      { path: "./index.html", body: page(seen(secret.repeat(3)), secret) },
      { path: "./data/a.zip", body: seen(secret) },
    ]);
    const { verdict, bytes } = await scrubbed("html-report.tar.gz", archive);
    expect(verdict.is).toBe("scrubbed");
    const text = gunzipSync(bytes).toString("latin1");
    expect(text).not.toContain("31c07e2b");
    expect(readZip(zipIn(text))["report.json"]).not.toContain("31c07e2b");
  });

  it.each([
    ["is cut", page(seen("x")).replace(/=*<\/script>$/, "A</script>")],
    ["holds no zip file", page(Buffer.concat([Buffer.from("PK\u0003\u0004"), Buffer.alloc(60, 1)]))],
  ])("is withheld where what it carries %s", async (_what, content) => {
    expect((await scrubbed("index.html", content)).verdict.is).toBe("withheld");
  });
});
