import { describe, expect, it } from "vitest";
import { controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { firstOwner } from "./people.ts";

describe("theme and density", () => {
  it("are chosen in the menu, hold in this browser, and lead back to the page", async () => {
    await using plane = await controlPlaneUnderTest();
    const owner = await firstOwner(plane);
    const before = (await owner.get("/checks?q=a")).text;
    expect(before).toContain('value="system" aria-pressed="true"');
    expect(before).not.toContain(":root { color-scheme: dark; }");
    const chosen = await owner.post("/appearance", { theme: "dark", to: "/checks?q=a" });
    expect([chosen.status, chosen.location]).toEqual([303, "/checks?q=a"]);
    expect(chosen.headers.getSetCookie()[0]).toMatch(
      /^outpost_appearance=dark\.comfortable; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    await owner.post("/appearance", { density: "compact" });
    const after = (await owner.get("/checks")).text;
    expect(after).toContain(":root { color-scheme: dark; }");
    expect(after).toContain('value="compact" aria-pressed="true"');
    expect(after).toContain("contain-intrinsic-size: auto 2.2rem");
  });

  it("are as at first where the cookie or the form says nothing that there is, and lead nowhere else", async () => {
    await using plane = await controlPlaneUnderTest();
    const owner = await firstOwner(plane);
    owner.cookies.set("outpost_appearance", "red}body{display:none.huge");
    const { text } = await owner.get("/checks");
    expect(text).toContain('value="system" aria-pressed="true"');
    expect(text).not.toContain("display:none.huge");
    const chosen = await owner.post("/appearance", { theme: "pink", to: "//elsewhere.example" });
    expect([chosen.location, owner.cookies.get("outpost_appearance")]).toEqual(["/", "system.comfortable"]);
  });
});
