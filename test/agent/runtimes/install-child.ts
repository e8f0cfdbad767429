import { installRuntime } from "../../../src/agent/runtimes/install-runtime.ts";
import { tinyOrder } from "./tiny-install.ts";

/** An install as a process of its own, to be killed: registry and folder are its words. */
const [, , url = "", home = ""] = process.argv;
await installRuntime(tinyOrder({ url }, home, { left: "1.0.0" }));
