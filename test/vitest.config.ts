import { defineConfig } from "vitest/config";

/** `source` makes `#contract/…` and its neighbours resolve to `src/`, so tests need no build. */
export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/postgres.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
