import { AppError } from "#domain/app-error.ts";
import type { Sandbox } from "./sandbox.ts";

/** Refuses scripts. */
export const noSandbox: Sandbox = {
  level: 0,
  levels: new Map(),
  egressWall: "kernel",
  limitation: "this agent has no sandbox",
  run: () => Promise.reject(new AppError("forbidden", "this agent has no sandbox, so it runs no scripts")),
  close: () => Promise.resolve(),
};
