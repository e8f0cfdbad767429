import { parentPort } from "node:worker_threads";
import { evaluateAssertions } from "#domain/assertions/evaluate.ts";
import type { AssertionTask } from "./assertion-thread.ts";

/* Evaluates assertions away from the main loop, one task at a time. An error ends the thread; whoever asked hears of it. */

parentPort?.on("message", ({ assertions, facts, text, json }: AssertionTask) => {
  const read = { ...facts, text: () => text, ...(json === null ? {} : { json: () => json.value }) };
  parentPort?.postMessage(evaluateAssertions(assertions, read));
});
parentPort?.postMessage("ready");
