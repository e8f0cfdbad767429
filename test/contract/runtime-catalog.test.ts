import { describe, expect, it } from "vitest";
import { runtimeCatalog, runtimeIds } from "#contract/runtime-catalog.ts";
import { Runtime } from "#contract/runtimes.ts";

describe("the runtime catalog", () => {
  it("holds each runtime once, in the order of the ids", () => {
    expect(runtimeCatalog.map((runtime) => runtime.name)).toEqual(runtimeIds);
  });

  it.each(runtimeCatalog.map((runtime) => ({ ...runtime })))("$name is whole", (runtime) => {
    expect(Runtime.parse(runtime)).toEqual(runtime);
    expect(runtime.runtimeEndOfLife).toMatch(/^\d\d\/\d\d\/\d{4}$/);
    expect(Object.keys(runtime.dependencies).length).toBeGreaterThan(20);
    for (const [name, version] of Object.entries(runtime.dependencies)) {
      expect(name).toMatch(/^(@[\w-]+\/)?[\w./-]+$/);
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  it("reads scoped and plain packages", () => {
    expect(runtimeCatalog[0]?.dependencies).toMatchObject({ "@playwright/test": "1.58.2", axios: "1.13.5", http: "24.13.1" });
    expect(runtimeCatalog[3]?.dependencies).toMatchObject({ "protobufjs/minimal": "7.2.6" });
  });
});
