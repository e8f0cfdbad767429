import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { compileCache } from "./support/compile-cache.ts";
import { LongFirst } from "./support/long-first.ts";

const controlPlane = "test/control-plane/**/*.test.ts";
/** They replace modules, or measure the memory of their process. */
const alone = ["test/agent/net/dial-without-ipv6.test.ts", "test/agent/runners/api/hostile-memory.test.ts"];

/** `source` makes `#contract/…` and its neighbours resolve to `src/`, so tests need no build. */
export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    globalSetup: ["test/support/postgres.ts", "test/support/built-program.ts"],
    maxWorkers: availableParallelism() + 1, // most of them wait for processes; a share in percent is never more than there are processors
    sequence: { sequencer: LongFirst },
    env: { NODE_COMPILE_CACHE: compileCache },
    testTimeout: 40_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } }, // it ends when the thing is there; a second is not long where processes are many
    // Starting a worker and loading the whole contract takes longer than most files: the files of a worker load it once.
    isolate: false,
    projects: [
      { extends: true, test: { name: "alone", include: alone, isolate: true } },
      { extends: true, test: { name: "control-plane", include: [controlPlane], setupFiles: ["test/support/no-internet.ts"] } },
      {
        extends: true,
        test: { name: "everything else", include: ["test/**/*.test.ts"], exclude: [controlPlane, ...alone, "**/node_modules/**"] },
      },
    ],
  },
});
