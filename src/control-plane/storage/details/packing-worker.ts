import { parentPort, workerData } from "node:worker_threads";
import { packText } from "./compression.ts";
import type { PackingReply, PackingRequest } from "./packing-thread.ts";

/* Packs texts away from the main loop. Imports only relative files, so that it starts without the `source` condition. */

const { dictionary } = workerData as { readonly dictionary: Uint8Array };

parentPort?.on("message", (request: PackingRequest | "close") => {
  if (request === "close") return parentPort?.close();
  const bodies = request.texts.map((text) => `"\\\\x${Buffer.from(packText(text, dictionary)).toString("hex")}"`);
  const reply: PackingReply = { id: request.id, literal: `{${bodies.join(",")}}` };
  return parentPort?.postMessage(reply);
});
