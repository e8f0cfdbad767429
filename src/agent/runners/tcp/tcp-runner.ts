import type { Trust } from "../../net/tls.ts";
import type { CheckRunner } from "../check-runner.ts";

export function createTcpRunner(trust: Trust): CheckRunner<"TCP"> {
  throw new Error("to be written for " + String(trust));
}
