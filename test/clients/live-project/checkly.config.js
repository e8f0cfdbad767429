import { defineConfig } from "checkly";

export default defineConfig({
  projectName: "Live results",
  logicalId: "live-results",
  checks: { tags: ["live"], checkMatch: "**/__checks__/**/*.check.js", runtimeId: "2026.04" },
  cli: { privateRunLocation: "north" },
});
