"use strict";
const { readFileSync, writeFileSync } = require("node:fs");

/** What scripts import of `@outpost/playwright-helpers`, as they know it of other services. */
module.exports = { markCheckAsDegraded, getAPIResponseTime };

const file = "degraded.json";
const mostBytes = 100;

/** The check is degraded unless more than soft assertions fails. @param message why, at most 100 bytes */
function markCheckAsDegraded(message) {
  const text = message === undefined ? "" : `${message}`;
  if (Buffer.byteLength(text) > mostBytes) throw new Error(`the message of markCheckAsDegraded has more than ${mostBytes} bytes`);
  let messages = [];
  try {
    messages = JSON.parse(readFileSync(file, "utf8")).messages;
  } catch {} // it is the first one
  writeFileSync(file, JSON.stringify({ messages: text === "" ? messages : [...messages, text] }));
}

/** Milliseconds until an answer of the `request` fixture was there; null where that was not seen. */
function getAPIResponseTime(response) {
  return response?.timings?.().total ?? null;
}
