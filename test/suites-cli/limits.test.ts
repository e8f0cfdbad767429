import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { collectFiles } from "../../src/suites-cli/collect-files.ts";
import { IgnoreRules } from "../../src/suites-cli/ignore-rules.ts";
import { Included } from "../../src/suites-cli/included.ts";
import { packFiles } from "../../src/suites-cli/pack-files.ts";
import { SuiteFolder } from "./suite-folder.ts";

const collected = async ({ path }: SuiteFolder, limits?: { readonly entries: number; readonly unpackedBytes: number }) =>
  collectFiles(path, await IgnoreRules.above(path, path), new Included([], ""), [], limits);

describe("a project that is too large is refused", () => {
  it("for its files, with where the most of them are", async () => {
    using folder = new SuiteFolder(Object.fromEntries(Array.from({ length: 1_100 }, (_, at) => [`web/public/${at}.svg`, ""])));
    await expect(collected(folder, { entries: 1_050, unpackedBytes: 1e9 })).rejects.toThrow(
      /has more than 1050 entries; .*1051 of its files are in web\/public\. Leave out .* \.outpostignore$/,
    );
  });

  it("for its bytes", async () => {
    using folder = new SuiteFolder({ "a.txt": "a".repeat(600), "b.txt": "b".repeat(600) });
    await expect(collected(folder, { entries: 10, unpackedBytes: 1_000 })).rejects.toThrow(/more than 1000 bytes in it.*\.outpostignore/);
  });

  it("for its packed bytes, with its largest files", async () => {
    using folder = new SuiteFolder({ "small.txt": "" });
    writeFileSync(folder.at("film.webm"), randomBytes(2_000_000));
    const { files } = await collected(folder);
    await expect(packFiles(folder.path, files, 1_000_000)).rejects.toThrow(/larger than 1 MB when packed.*film\.webm \(2 MB\)/);
    expect((await packFiles(folder.path, files)).size).toBeGreaterThan(2_000_000);
  });
});
