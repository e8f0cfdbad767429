import { type Commands, healthcheck } from "./command-line.ts";

/** What the images of an agent can do. */
export const agentCommands = {
  agent: {
    about: "an agent alone; needs API_KEY (or API_KEY_FILE) and API_URL",
    run: async (env) => (await import("./agent/main.ts")).main(env),
    logsAs: "agent",
  },
  healthcheck,
  doctor: {
    about: "find out why an agent cannot work here; with --telemetry, what it would report about itself",
    run: async (env, words, flags) => (await import("./agent/doctor/doctor-main.ts")).main(env, words, flags),
  },
  runtime: {
    about: "what scripts run on: `outpost runtime install 2026.04`, `runtime list`, `runtime remove 2026.04`",
    run: async (env, words) => (await import("./agent/runtimes/runtime-main.ts")).main(env, words),
  },
  run: {
    about: "run the checks of a file here and now: `outpost run check.yaml`",
    run: async (env, words, flags) => (await import("./agent/local-run/run-main.ts")).main(env, words, flags),
  },
} satisfies Commands;
