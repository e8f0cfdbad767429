import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** The part of bench/README.md about a script of bench/, by its heading. */
function measuredBy(script: string): string {
  const parts = readFileSync("bench/README.md", "utf8").split(/^## /m);
  return parts.filter((part) => part.split("\n", 1)[0]?.includes(`bench/${script}`)).join("\n");
}

/** A number as tables write it; in code it is no figure. */
function numbersIn(text: string): readonly string[] {
  return [...text.replaceAll(/`[^`]*`/g, "").matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([number]) => number);
}

interface Figures {
  readonly script: string;
  readonly text: string;
}

/** Rows of tables that name their script in the last cell, and what stands between `<!-- bench: x.ts -->` and `<!-- /bench -->`. */
function figuresIn(page: string): readonly Figures[] {
  const rows = [...page.matchAll(/^(\|.*)\| `bench\/(\w[\w-]*\.ts)[^`]*` \|$/gm)].map(([, text = "", script = ""]) => ({ script, text }));
  const marked = [...page.matchAll(/<!-- bench: ([\w-]+\.ts) -->(.*?)<!-- \/bench -->/gs)].map(([, script = "", text = ""]) => ({
    script,
    text,
  }));
  return [...rows, ...marked];
}

/** Those that the benchmark's own page does not have. */
function unmeasured({ script, text }: Figures): readonly string[] {
  const known = new Set(numbersIn(measuredBy(script).replaceAll("`", " ")));
  return numbersIn(text).filter((number) => !known.has(number));
}

const pages = ["README.md", ...globSync("docs/**/*.md")];

describe("figures in documents", () => {
  it("are those of the benchmark that is named beside them", () => {
    const wrong = pages.flatMap((page) =>
      figuresIn(readFileSync(page, "utf8")).flatMap((figures) =>
        unmeasured(figures).map((number) => `${page}: ${number} (${figures.script})`),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("are found where they stand: in README.md and in docs/operations/sizing.md", () => {
    const found = (page: string) => figuresIn(readFileSync(page, "utf8")).map(({ script }) => script);
    expect(found("README.md")).toEqual(["pipeline.ts"]);
    expect(found("docs/operations/sizing.md").length).toBeGreaterThanOrEqual(4);
  });

  it("of what a run costs are those of bench/probes.ts, and as many as a core can do in a minute of it", () => {
    const rows = [...readFileSync("docs/operations/sizing.md", "utf8").matchAll(/^\| .* \| ([\d,]+) µs \| ([\d,]+) \|$/gm)];
    const [costs, counts] = [1, 2].map((column) => rows.map((row) => Number(row[column]?.replaceAll(",", ""))));
    expect(costs).toHaveLength(5);
    expect(unmeasured({ script: "probes.ts", text: rows.map(([, cost]) => cost).join(" ") })).toEqual([]);
    for (const [index, cost] of (costs ?? []).entries()) expect((counts?.[index] ?? 0) * cost).toBeCloseTo(60_000_000, -6);
  });

  it("would be noticed where one is not what was measured", () => {
    const figures = figuresIn(
      "| storing results | 143 µs | `bench/ingest.ts 100000` |\n<!-- bench: pipeline.ts -->1.11, 9.99<!-- /bench -->",
    );
    expect(figures.map(unmeasured)).toEqual([["143"], ["9.99"]]);
  });
});
