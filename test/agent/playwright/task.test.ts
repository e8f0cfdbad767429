import { describe, expect, it } from "vitest";
import type { PlaywrightTask } from "../../../src/agent/playwright/playwright-engine.ts";
import { prepareTask } from "../../../src/agent/playwright/task.ts";

describe("the task of a script", () => {
  const prepared = (more: Partial<PlaywrightTask>) => () =>
    prepareTask({
      type: "BROWSER",
      runtimeId: "2026.04",
      script: "test('x', () => {})",
      scriptPath: "tests/check.spec.ts",
      files: [],
      environment: {},
      secrets: [],
      certificates: [],
      limitMs: 60_000,
      keepsAll: false,
      baselines: [],
      ...more,
    });

  it.each(["../x.js", "/x.js", "a/../../x.js", "a\\x.js", "node_modules/x.js", "./node_modules/x.js", "a/"])(
    "is refused with a file at %s: what a control plane lets through an agent does not write",
    (path) => {
      expect(prepared({ files: [{ path, content: "" }] })).toThrow("leaves the folder of its script");
      expect(prepared({ scriptPath: path })).toThrow("leaves the folder of its script");
    },
  );

  it.each([
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_EXTRA_CA_CERTS",
    "PW_TEST",
    "PWTEST_CACHE_DIR",
    "LD_PRELOAD",
    "OUTPOST_RUN",
    "TEST_WORKER_INDEX",
    "a b",
  ])("is refused with the variable %s", (name) => {
    expect(prepared({ environment: { [name]: "1" } })).toThrow(`a script cannot have the variable "${name}"`);
  });

  it("brings its files and variables as they are", () => {
    const files = [{ path: "tests/lib/a.ts", content: "export {};" }];
    expect(prepared({ files, environment: { SHOP: "1" } })()).toEqual({
      script: "tests/check.spec.ts",
      files: [...files, { path: "tests/check.spec.ts", content: "test('x', () => {})" }],
      env: { SHOP: "1" },
      isPlain: false,
    });
  });
});
