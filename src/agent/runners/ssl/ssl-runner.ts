import type { Trust } from "../../net/tls.ts";
import type { CheckRunner } from "../check-runner.ts";

export function createSslRunner(trust: Trust): CheckRunner<"SSL"> {
  throw new Error("to be written for " + String(trust));
}
