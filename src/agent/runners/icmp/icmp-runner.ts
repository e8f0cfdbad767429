import type { CheckRunner } from "../check-runner.ts";

export function createIcmpRunner(): CheckRunner<"ICMP"> {
  throw new Error("to be written");
}
