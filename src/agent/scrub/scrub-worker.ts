import { parentPort } from "node:worker_threads";
import type { ThreadTask } from "./file-task.ts";
import { scrubFileHere } from "./scrub-file-here.ts";

/* Scrubs files away from the main loop, one at a time. An error ends the thread; whoever asked hears of it, by its code. */

const never = new AbortController().signal;

parentPort?.on("message", (task: ThreadTask) => {
  scrubFileHere(task, never).then(
    (verdict) => parentPort?.postMessage(verdict),
    (error: unknown) => {
      throw error;
    },
  );
});
parentPort?.postMessage("ready");
