import { describe, expect, it } from "vitest";
import { createScrubber } from "../../../src/domain/scrub/scrubber.ts";

const secret = "cnry-0123456789/abcdef+ghijkl";
const { scrubText, scrubBytes } = createScrubber([secret]);
const long = "x".repeat(2_000);

describe("a text that was cut in the middle of a secret", () => {
  it.each([
    ["raw", (cut: number) => secret.slice(0, cut)],
    ["base64", (cut: number) => Buffer.from(secret).toString("base64").slice(0, cut)],
    ["percent encoding", (cut: number) => encodeURIComponent(secret).slice(0, cut)],
    ["hexadecimal", (cut: number) => Buffer.from(secret).toString("hex").slice(0, cut)],
  ])("keeps nothing of its beginning, %s: at the end of a long one and before an ellipsis", (_name, beginning) => {
    for (const cut of [8, 15, 20, 28]) {
      expect(scrubText(`${long} ${beginning(cut)}`)).toBe(`${long} ********`);
      expect(scrubText(`expected "${beginning(cut)}…" to equal "other"`)).toBe('expected "********…" to equal "other"');
    }
  });

  it("keeps its length where it is bytes", () => {
    const bytes = Buffer.from(`${long}${secret.slice(0, 20)}`);
    expect(Buffer.from(scrubBytes(bytes)).toString()).toBe(`${long}${"*".repeat(20)}`);
  });

  it("is left alone where a short text ends so, and where what is left says nothing", () => {
    expect(scrubText("it ends with cnry-01234")).toBe("it ends with cnry-01234");
    expect(scrubText(`${long} cnry`)).toBe(`${long} cnry`);
    expect(createScrubber(["https://shop.example/secret"]).scrubText(`${long} https://`)).toBe(`${long} https://`);
  });
});
