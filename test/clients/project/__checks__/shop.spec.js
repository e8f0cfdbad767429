import { expect, test } from "@playwright/test";
import { title } from "./shop-page.js";

test("the shop opens", async ({ page }) => {
  await page.goto("http://127.0.0.1:1/");
  await expect(page).toHaveTitle(title);
});
