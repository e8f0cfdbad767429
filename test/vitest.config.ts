import { defineConfig } from "vitest/config";

const controlPlane = "test/control-plane/**/*.test.ts";

/** `source` makes `#contract/…` and its neighbours resolve to `src/`, so tests need no build. */
export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    globalSetup: ["test/support/postgres.ts"],
    maxWorkers: "150%", // most of them wait for processes
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      // Loading the whole contract takes longer than most of these files: the files of a worker load it once.
      {
        extends: true,
        test: { name: "control-plane", include: [controlPlane], isolate: false, setupFiles: ["test/support/no-internet.ts"] },
      },
      { extends: true, test: { name: "everything else", include: ["test/**/*.test.ts"], exclude: [controlPlane] } },
    ],
  },
});
