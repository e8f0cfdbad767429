/** English texts of what a script may begin with. */
export const scriptTemplateTexts = {
  label: "Begin with a script",
  begin: "Begin with:",
  page: "a page that must be there",
  signIn: "signing in",
  search: "searching and filling a cart",
  answers: "an answer of an API",
  token: "a token and a request with it",
  order: "an order, from making it to cancelling it",
} as const;

const imports = `import { test, expect } from "@playwright/test";\n\n`;

const page = `${imports}test("the front page is there", async ({ page }) => {
  await page.goto("https://shop.example/");
  await expect(page).toHaveTitle(/Shop/);
  await expect(page.getByRole("heading").first()).toBeVisible();
});
`;

const signIn = `${imports}test("someone signs in", async ({ page }) => {
  await page.goto("https://shop.example/login");
  await test.step("sign in", async () => {
    await page.getByLabel("E-mail").fill(process.env.SHOP_USER);
    await page.getByLabel("Password").fill(process.env.SHOP_PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
  });
  await expect(page.getByText("Welcome")).toBeVisible();
});
`;

const search = `${imports}test("a visitor finds a book and puts it into the cart", async ({ page }) => {
  await page.goto("https://shop.example/");
  await test.step("search", async () => {
    await page.getByRole("searchbox").fill("tides");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("link", { name: "The Book of Tides" })).toBeVisible();
  });
  await test.step("put it into the cart", async () => {
    await page.getByRole("link", { name: "The Book of Tides" }).click();
    await page.getByRole("button", { name: "Add to cart" }).click();
    await expect(page.getByText("1 item")).toBeVisible();
  });
});
`;

const answers = `${imports}test("the API answers", async ({ request }) => {
  const answer = await request.get("https://shop.example/api/health");
  expect(answer.status()).toBe(200);
  expect(await answer.json()).toMatchObject({ status: "ok" });
});
`;

const token = `${imports}test("a client gets a token and uses it", async ({ request }) => {
  const { access_token: token } = await test.step("get a token", async () => {
    const answer = await request.post("https://shop.example/oauth/token", {
      form: { grant_type: "client_credentials", client_id: process.env.CLIENT_ID, client_secret: process.env.CLIENT_SECRET },
    });
    expect(answer.status()).toBe(200);
    return answer.json();
  });
  await test.step("use it", async () => {
    const answer = await request.get("https://shop.example/api/orders", { headers: { authorization: \`Bearer \${token}\` } });
    expect(answer.status()).toBe(200);
  });
});
`;

const order = `${imports}test("the shop takes an order and cancels it", async ({ request }) => {
  const { id } = await test.step("order", async () => {
    const answer = await request.post("https://shop.example/api/orders", { data: { book: 42 } });
    expect(answer.status()).toBe(201);
    return answer.json();
  });
  await test.step("look at it", async () => {
    const answer = await request.get(\`https://shop.example/api/orders/\${id}\`);
    expect(await answer.json()).toMatchObject({ id, book: 42 });
  });
  await test.step("cancel it", async () => {
    expect((await request.delete(\`https://shop.example/api/orders/\${id}\`)).ok()).toBeTruthy();
  });
});
`;

/** The scripts themselves: what is named in them, people read. */
export const templateScripts = { page, signIn, search, answers, token, order } as const;
