import { EngineUnderTest } from "./engine-under-test.ts";

/* An agent's part with a run that never ends. It says where the run's folder is. */
const tested = await EngineUnderTest.start();
process.stdout.write(`${tested.folder}\n`);
await tested.run(
  "BROWSER",
  `require("@playwright/test").test("x", async ({ page }) => {
     require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" }).unref();
     await page.goto("data:text/html,x"); await new Promise(() => {}); });`,
);
