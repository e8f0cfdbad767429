import type { Trust } from "../../net/tls.ts";
import type { CheckRunner } from "../check-runner.ts";

export function createDnsRunner(trust: Trust): CheckRunner<"DNS"> {
  throw new Error("to be written for " + String(trust));
}
