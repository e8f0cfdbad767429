import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { compileCache } from "./support/compile-cache.ts";
import { LongFirst } from "./support/long-first.ts";

/** On one node, which runs one file at a time; after all others, whose load it would not stand. */
const cluster = "test/cluster/**/*.test.ts";
const controlPlane = "test/control-plane/**/*.test.ts";
/** Folders and files that are left out, such as those whose tools `.ci/run` is still building. */
const leftOut = (process.env["OUTPOST_TEST_LEAVE_OUT"] ?? "")
  .split(" ")
  .filter((path) => path !== "")
  .flatMap((path) => [path, `${path}/**`]);
/** They replace modules, or measure the memory of their process. */
const alone = ["test/agent/net/dial-without-ipv6.test.ts", "test/agent/runners/api/hostile-memory.test.ts"];

/** `source` makes `#contract/…` and its neighbours resolve to `src/`, so tests need no build. */
export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    globalSetup: ["test/support/postgres.ts", "test/support/citus.ts", "test/support/built-program.ts"],
    maxWorkers: availableParallelism() + 1, // most of them wait for processes; a share in percent is never more than there are processors
    sequence: { sequencer: LongFirst },
    env: { NODE_COMPILE_CACHE: compileCache },
    testTimeout: 120_000, // nothing here takes as long: a slow machine is no fault
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } }, // it ends when the thing is there; a second is not long where processes are many
    // Starting a worker and loading the whole contract takes longer than most files: the files of a worker load it once.
    isolate: false,
    projects: [
      { extends: true, test: { name: "alone", include: alone, isolate: true } },
      {
        extends: true,
        test: { name: "control-plane", include: [controlPlane], exclude: leftOut, setupFiles: ["test/support/no-internet.ts"] },
      },
      {
        extends: true,
        test: {
          name: "everything else",
          include: ["test/**/*.test.ts"],
          exclude: [controlPlane, cluster, ...alone, ...leftOut, "**/node_modules/**"],
        },
      },
      {
        extends: true,
        test: { name: "cluster", include: [cluster], exclude: leftOut, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
