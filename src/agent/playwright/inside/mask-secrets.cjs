"use strict";
const { readFileSync } = require("node:fs");
const path = require("node:path");
const known = require("./job.cjs");
const quietly = require("./quietly.cjs");
const record = require("./record.cjs");

/** 24 bits, always the same ones: who reads the memory of many pages learns no more of a secret, and hardly any text is black by chance. */
const [base, prime] = [1_664_525, 16_777_213];
const masks = readFileSync(path.join(__dirname, "masks.js"), "utf8");

/** Every page of a context shows no secret that the run was given, before anything else is done with it. */
module.exports = function maskSecrets(context) {
  const { shownSecrets: secrets = [] } = known.job;
  if (secrets.length === 0) return;
  const source = `globalThis.outpostMasks = ${JSON.stringify(formsOf(secrets))};\n${masks}`;
  const masked = new WeakMap();
  const newPage = context.newPage.bind(context);
  context.newPage = async (...given) => {
    const page = await newPage(...given);
    await masked.get(page);
    return page;
  };
  for (const page of context.pages()) begin(page);
  context.on("page", begin);

  function begin(page) {
    masked.set(page, mask(page));
    page.on("frameattached", (frame) => void maskFrame(frame));
    page.on("framenavigated", (frame) => void maskFrame(frame));
  }

  async function mask(page) {
    try {
      await inItsOwnWorld(page);
    } catch (error) {
      if (page.isClosed()) return;
      record("log", { time: Date.now(), level: "WARN", msg: `pictures of a page may show secrets: ${String(error).slice(0, 300)}` });
    }
  }

  /** Of another site, in a process of its own; all others are part of their page, and have no session. */
  async function maskFrame(frame) {
    if (frame.parentFrame() === null || masked.has(frame)) return;
    await inItsOwnWorld(frame).then(
      () => masked.set(frame, true),
      () => {},
    );
  }

  async function inItsOwnWorld(target) {
    const session = await quietly(context, () => context.newCDPSession(target));
    const script = { source, worldName: "outpost", runImmediately: true };
    await quietly(context, () => session.send("Page.enable"));
    await quietly(context, () => session.send("Page.addScriptToEvaluateOnNewDocument", script));
  }
};

/** What pages are told: secrets by their length, and as hashes. */
function formsOf(secrets) {
  const forms = [...new Set(secrets.map(({ length }) => length))].map((length) => {
    let lead = 1;
    for (let power = 1; power < length; power += 1) lead = (lead * base) % prime;
    return { length, lead, hashes: secrets.filter((one) => one.length === length).map(hashOf) };
  });
  return { base, prime, forms };
}

function hashOf(text) {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (hash * base + text.charCodeAt(at)) % prime;
  return hash;
}
