"use strict";
const { renameSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const known = require("./job.cjs");
const quietly = require("./quietly.cjs");

/** Between two pictures; one costs the browser some 50 ms. */
const pauseMs = 1_000;
const quality = 35;

/** For people who look on: the newest page of a context, as it is now, in a file that the agent reads. What cannot be shown is not missed. */
module.exports = function showLive(context) {
  let session = null;
  let shown = null;
  const timer = setInterval(() => void show().catch(() => {}), pauseMs).unref();
  context.on("close", () => clearInterval(timer));

  async function show() {
    const page = context.pages().at(-1);
    if (page === undefined || shown === "waits") return;
    if (page !== shown) session = null;
    shown = "waits";
    try {
      session ??= await quietly(context, () => context.newCDPSession(page));
      const { data } = await quietly(context, () =>
        session.send("Page.captureScreenshot", { format: "jpeg", quality, optimizeForSpeed: true }),
      );
      const file = path.join(known.job.run, "live.jpg");
      writeFileSync(`${file}.new`, Buffer.from(data, "base64"));
      renameSync(`${file}.new`, file);
    } finally {
      shown = page;
    }
  }
};
