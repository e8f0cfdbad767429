import { describe, expect, it } from "vitest";
import { BundleEntries, type BundleEntry } from "#domain/bundle-entries.ts";

const limits = { entries: 20, unpackedBytes: 1_000 };
const file = (path: string, bytes = 1): BundleEntry => ({ path, kind: "file", target: "", bytes });
const folder = (path: string): BundleEntry => ({ path, kind: "folder", target: "", bytes: 0 });
const link = (path: string, target: string, kind = "link"): BundleEntry => ({ path, kind, target, bytes: 0 });

/** Of the first entry that is refused. */
function problemOf(entries: readonly BundleEntry[]): string | null {
  const taken = new BundleEntries(limits);
  return entries.map((entry) => taken.take(entry)).find((problem) => problem !== null) ?? null;
}

describe("what may be in a bundle of code", () => {
  it.each<[string, readonly BundleEntry[]]>([
    ["files and folders", [folder("./"), folder("./a/"), file("./a/b.ts"), file("c.ts")]],
    ["folders twice", [folder("a"), file("a/b"), folder("a/")]],
    ["a link beside what it leads to", [file("a/b"), link("a/c", "b")]],
    ["links of a workspace", [file("packages/x/index.js"), link("node_modules/x", "../packages/x")]],
    ["a link to the whole", [link("a/b", "..")]],
    ["a hard link to a file before it", [file("a"), link("b/c", "a", "hard link")]],
  ])("are %s", (_title, entries) => {
    expect(problemOf(entries)).toBeNull();
  });

  it.each<[string, readonly BundleEntry[], string]>([
    ["a path that goes up", [file("../x")], "leaves the folder"],
    ["one that goes up in the middle", [file("a/../../x")], "leaves the folder"],
    ["one that begins at the root", [file("/etc/cron.d/x")], "leaves the folder"],
    ["a path of another system", [file("a\\..\\..\\x")], "leaves the folder"],
    ["a name with a line break", [file("a\nb")], "leaves the folder"],
    ["a path that is endless", [file("a/".repeat(101))], "leaves the folder"],
    ["a device", [{ ...file("a"), kind: "device" }], "is a device"],
    ["a pipe", [{ ...file("a"), kind: "pipe" }], "is a pipe"],
    ["what nobody knows", [{ ...file("a"), kind: "SparseFile" }], "is a SparseFile"],
    ["a link out", [link("a", "../x")], "outside of the bundle"],
    ["a link to the root", [link("a", "/etc/passwd")], "outside of the bundle"],
    ["a link out that looks inside", [link("b", "c"), link("a/d", "../b/../../x")], "outside of the bundle"],
    ["a link to nothing", [link("a", "")], "outside of the bundle"],
    ["a hard link out", [link("a", "../x", "hard link")], "outside of the bundle"],
    ["a hard link to what is not there yet", [link("a", "b", "hard link"), file("b")], "not in it"],
    ["a hard link to a link", [file("b"), link("c", "b"), link("a", "c", "hard link")], "not in it"],
    ["a file through a link", [link("a", "b"), file("a/x")], "inside of"],
    ["a folder through a link", [link("a", "b"), folder("a/x")], "inside of"],
    ["a file in a file", [file("a"), file("a/x")], "inside of"],
    ["a folder that becomes a link", [file("a/b"), link("a", "c")], "twice"],
    ["a link that becomes a folder", [link("a", "c"), folder("a")], "twice"],
    ["a file twice", [file("a"), file("./a")], "twice"],
    ["too many", Array.from({ length: 21 }, (_, index) => file(`${index}`)), "more than 20 entries"],
    ["too much", [file("a", 600), file("b", 600)], "more than 1000 bytes"],
  ])("are not %s", (_title, entries, sentence) => {
    expect(problemOf(entries)).toContain(sentence);
  });

  it("are counted", () => {
    const taken = new BundleEntries(limits);
    for (const entry of [folder("a"), file("a/b", 7), file("c", 3), link("d", "c")]) expect(taken.take(entry)).toBeNull();
    expect([taken.files, taken.unpackedBytes]).toEqual([2, 10]);
  });
});
