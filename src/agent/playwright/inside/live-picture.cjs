"use strict";
const { renameSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const known = require("./job.cjs");

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
      session ??= await quietly(() => context.newCDPSession(page));
      const { data } = await quietly(() => session.send("Page.captureScreenshot", { format: "jpeg", quality, optimizeForSpeed: true }));
      const file = path.join(known.job.run, "live.jpg");
      writeFileSync(`${file}.new`, Buffer.from(data, "base64"));
      renameSync(`${file}.new`, file);
    } finally {
      shown = page;
    }
  }

  /** No step of the test, and nothing in its trace. */
  function quietly(call) {
    return context._wrapApiCall === undefined ? call() : context._wrapApiCall(call, { internal: true });
  }
};
