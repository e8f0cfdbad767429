/** A browser check's way through the pages of `browser-target.ts`: opens, fills, clicks, and looks. */
export const searchScript = (url: string): string =>
  `const { expect, test } = require("@playwright/test");
test("form", async ({ page }) => {
  await page.goto("${url}/");
  await page.getByLabel("Search").fill("tides");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByRole("heading", { name: "Found" })).toBeVisible();
});`;
