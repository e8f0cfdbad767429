import { parentPort } from "node:worker_threads";
import { shop } from "../../test/agent/agentic/shop.ts";

/** A shop with a sign-in, in a thread of its own. */
const { url } = await shop();
parentPort?.postMessage(url);
