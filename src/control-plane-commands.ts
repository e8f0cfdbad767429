import { type Commands, healthcheck } from "./command-line.ts";

/** What the image of the control plane can do. */
export const controlPlaneCommands: Commands = {
  "control-plane": { about: "the control plane alone", run: async (env) => (await import("./control-plane/main.ts")).main(env) },
  migrate: {
    about: "bring the schema of the store up to date, and end",
    run: async (env, words) => (await import("./control-plane/migrate-main.ts")).main(env, words),
  },
  keys: {
    about: "print a new API key: `outpost keys create [--role READ_ONLY]`",
    run: async (env, words, flags) => (await import("./control-plane/keys-main.ts")).main(env, words, flags),
  },
  "location-key": {
    about: "print a new key of a location: `outpost location-key eu-west-1`",
    run: async (env, words, flags) => (await import("./control-plane/location-key-main.ts")).main(env, words, flags),
  },
  healthcheck,
  openapi: { about: "print the OpenAPI document", run: async () => (await import("./control-plane/openapi-main.ts")).main() },
};
