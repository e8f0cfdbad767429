import { describe, expect, it } from "vitest";
import { badgeStyles, badgeThemes } from "#contract/badges.ts";
import { type Badge, badgeImage } from "../../../src/control-plane/rest/badge-image.ts";

const badge = (change: Partial<Badge> = {}): string =>
  badgeImage({ label: "Front page", status: "passing", style: "flat", theme: "default", ...change });

describe("a badge", () => {
  it("says the name and the status, also to those who cannot see it", () => {
    expect(badge()).toContain('role="img" aria-label="Front page: passing"');
    expect(badge({ responseTimeMs: 123.4 })).toContain(">passing 123 ms</text>");
    expect(badge({ responseTimeMs: 1_260 })).toContain(">passing 1.3 s</text>");
    expect(badge({ responseTimeMs: 61_000 })).toContain(">passing 61 s</text>");
    expect(badge({ style: "for-the-badge" })).toContain(">FRONT PAGE</text>");
  });

  it("is well formed in every style and theme", () => {
    const seen = new Set<string>();
    for (const style of badgeStyles) {
      for (const theme of badgeThemes) {
        const image = badge({ style, theme });
        seen.add(image);
        expect(tagsOf(image)).toEqual([]);
      }
    }
    expect(seen.size).toBe(badgeStyles.length * badgeThemes.length);
  });

  it.each([
    `</text><script>alert(1)</script>`,
    `"><image href=x onerror=alert(1)>`,
    `' onload='alert(1)`,
    `]]><!--`,
    "\u0000\u0001\u001b\ud800&amp;",
    "\u202egnissap\u2066",
    "x".repeat(100_000),
  ])("keeps a hostile name inert: %j", (label) => {
    const image = badge({ label });
    expect(image).not.toMatch(/<(script|image|!--)|\son\w+=['"]/i);
    // oxlint-disable-next-line no-control-regex -- that is what XML forbids
    expect(image).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\u202a-\u202e\u2066-\u2069]/);
    expect(tagsOf(image)).toEqual([]);
    expect(image.length).toBeLessThan(3_000);
  });

  it("has room for a long name", () => {
    const widthOf = (label: string): number => Number(/width="(\d+)"/.exec(badge({ label }))?.[1]);
    expect(widthOf("a much longer name than before")).toBeGreaterThan(widthOf("short"));
    expect(widthOf("検査".repeat(10))).toBeGreaterThan(200);
  });
});

/** Elements that were not closed, or closed without having been opened; attributes must be quoted. */
function tagsOf(image: string): string[] {
  const tag = /<(\/?)(\w+)(?:\s[\w:-]+="[^"<]*")*\s*(\/?)>/g;
  if (image.replaceAll(tag, "").includes("<")) return ["<"];
  const open: string[] = [];
  for (const [, close, name, empty] of image.matchAll(tag)) {
    if (close) {
      if (open.pop() !== name) return [`/${name}`];
    } else if (!empty) open.push(name ?? "");
  }
  return open;
}
