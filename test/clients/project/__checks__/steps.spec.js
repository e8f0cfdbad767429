import { expect, test } from "@playwright/test";

test("the API answers", async ({ request }) => {
  expect((await request.get("http://127.0.0.1:1/")).status()).toBe(200);
});
