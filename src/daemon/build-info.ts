import { Gauge, type Registry } from "prom-client";
import { version } from "./version.ts";

/** Which program this is, in labels, as Prometheus' own exporters tell it: always 1. */
export function addBuildInfo(name: string, registers: Registry[]): void {
  const help = "1, with the version of the program and of Node.js as labels";
  new Gauge({ name, help, labelNames: ["version", "nodejs_version"], registers }).set({ version, nodejs_version: process.version }, 1);
}
