import type { Migration } from "./migration.ts";

/** How far the clock of an agent is off, and what it runs on (JSON); null until it tells. */
export const agentPlatform: Migration = {
  version: 28,
  statements: (engine) => {
    const double = engine === "sqlite" ? "real" : "double precision";
    return [`alter table agent_sessions add column clock_ahead_ms ${double}`, "alter table agent_sessions add column platform text"];
  },
};
