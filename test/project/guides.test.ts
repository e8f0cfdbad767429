import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

interface Planted {
  readonly file: string;
  readonly text: string;
  readonly becomes: string;
}

/** Files of a copy of src/ in which the compiler finds something wrong once all this stands in it. */
async function compilerAsksFor(planted: readonly Planted[]): Promise<ReadonlySet<string>> {
  const folder = mkdtempSync(join(tmpdir(), "outpost-guide-"));
  try {
    for (const part of ["src", "package.json"]) cpSync(part, join(folder, part), { recursive: true });
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    const settings = JSON.parse(readFileSync("tsconfig.json", "utf8")) as object;
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...settings, include: ["src"] }));
    for (const { file, text, becomes } of planted) {
      const source = readFileSync(join(folder, file), "utf8");
      expect(source).toContain(text);
      writeFileSync(join(folder, file), source.replace(text, becomes));
    }
    const run = promisify(execFile)(join(folder, "node_modules/.bin/tsc"), ["-p", folder], { cwd: folder, maxBuffer: 16_777_216 });
    const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
    return new Set([...stdout.matchAll(/^(src\/\S+?)\(\d+,\d+\): error/gm)].map(([, found = ""]) => found));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Files that are there, of the rows of a guide of which the compiler tells that something is missing, up to a heading. */
function toldByCompiler(guide: string, end: string): readonly string[] {
  const [text = ""] = readFileSync(`docs/architecture/${guide}.md`, "utf8").split(end);
  return text.split("\n").flatMap((line) => {
    const [, files = "", , who = ""] = line.split("|");
    if (!/^the compiler(?!, once)/.test(who.trim())) return [];
    const [first = "", ...more] = [...files.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
    const folder = first.slice(0, first.lastIndexOf("/", first.endsWith("/") ? first.length - 3 : undefined));
    const paths = [first, ...more.map((path) => (path.startsWith("src/") ? path : `${folder.replace(/\/x$/, "")}/${path}`))];
    return paths.filter((path) => path.endsWith(".ts") && existsSync(path));
  });
}

describe("the guides of docs/architecture", () => {
  it("name the files that the compiler asks for, of an alert channel, a check type and a REST kind", { timeout: 180_000 }, async () => {
    const asked = await compilerAsksFor([
      { file: "src/contract/alert-channels.ts", text: '"CALL"]', becomes: '"CALL", "PIGEON"]' },
      { file: "src/contract/primitives.ts", text: '  "GRPC",\n] as const', becomes: '  "GRPC",\n  "SONAR",\n] as const' },
      {
        file: "src/contract/kinds.ts",
        text: "  trigger: {",
        becomes: '  badge: { title: "badge", idField: "id", idType: "uuid", operations: { list: badges }, references: [] },\n  trigger: {',
      },
      {
        file: "src/contract/kinds.ts",
        text: "/** In the list of operations",
        becomes: 'const badges = { ...listSnippets, id: "listBadges" } as const;\n\n/** In the list of operations',
      },
    ]);
    const kind = toldByCompiler("adding-a-rest-kind", "\nWhat a kind can do");
    const channel = toldByCompiler("adding-an-alert-channel", "\n## ");
    const checkType = toldByCompiler("adding-a-check-type", "## Run");
    expect(channel).toHaveLength(4);
    expect(checkType.length).toBeGreaterThanOrEqual(4);
    expect(kind).toHaveLength(3);
    expect(asked).toContain("src/contract/kinds.ts"); // an operation that is not in the list
    expect([...channel, ...checkType, ...kind].filter((path) => !asked.has(path))).toEqual([]);
  });
});
