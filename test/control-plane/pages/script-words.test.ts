import { describe, expect, it } from "vitest";
import { completionAt } from "../../../src/control-plane/pages/browser/script-words.ts";

const variables = ["SHOP_USER", "SHOP_PASSWORD", "CHECK_NAME"];
const offered = (before: string): readonly string[] => completionAt(before, variables)?.words ?? [];

describe("what an editor of scripts offers behind a dot", () => {
  it.each([
    ["await page.", "goto"],
    ["await page\n    .", "goto"],
    ['page.getByRole("button", { name: "Send (all)" }).', "click"],
    ['page.locator("li").filter({ hasText: /a/ }).first().', "fill"],
    ["expect(page).", "toHaveTitle"],
    ['expect(page.getByText("a")).not.', "toBeVisible"],
    ["expect.soft(status).", "toBe"],
    ["expect.", "soft"],
    ["test.", "step"],
    ["test.describe.", "serial"],
    ["test.info().", "annotations"],
    ["request.", "post"],
    ['expect((await request.get("/a")).', "status"],
    ["page.keyboard.", "press"],
    ['const button = page.getByRole("button");\nawait button.', "click"],
    ['const answer = await request.get("/a");\nexpect(answer.', "json"],
    ["const tab = await context.newPage();\ntab.", "goto"],
    ["await page?.", "goto"],
  ])("%j has %j", (before, word) => {
    expect(offered(before)).toContain(word);
  });

  it("offers what begins with the word that is typed, whatever its case, and tells where that begins", () => {
    expect(completionAt("await page.getbyr", variables)).toEqual({ from: 11, words: ["getByRole"] });
    expect(offered("await page.goto")).toEqual([]);
  });

  it("offers the variables of the check behind process.env, and behind no other env", () => {
    expect(offered("process.env.SHOP_")).toEqual(["SHOP_USER", "SHOP_PASSWORD"]);
    expect(offered("other.env.SHOP_")).toEqual([]);
  });

  it.each(["", "pa", "1.", '"a".', "unknown.", "unknown().", ").", "// a sentence. ", "const x = ;\nx.", "${.", "(await ).", "a$.b."])(
    "knows nothing of %j",
    (before) => {
      expect(completionAt(before, variables)).toBeNull();
    },
  );

  it("looks at the end of a long script only", () => {
    const long = `${"expect(".repeat(50_000)}${")".repeat(50_000)}.`;
    expect(completionAt(long, variables)).toBeNull();
  });
});
