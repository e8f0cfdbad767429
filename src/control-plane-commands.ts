import { checkTexts } from "./check-texts.ts";
import { type Commands, healthcheck } from "./command-line.ts";

/** What the image of the control plane can do. */
export const controlPlaneCommands = {
  "control-plane": {
    about: "the control plane alone",
    run: async (env) => (await import("./control-plane/main.ts")).main(env, checkTexts),
    logsAs: "control-plane",
  },
  migrate: {
    about: "bring the schema of the store up to date, and end; `--distributed` spreads its history over a Citus cluster",
    run: async (env, words, flags) => (await import("./control-plane/commands/migrate-main.ts")).main(env, words, flags),
    logsAs: "migrate",
  },
  backup: {
    about:
      "write the store into one file, also while the control plane runs: `outpost backup [--output FILE|FOLDER|-] [--keep 24] [--with-keys]`",
    run: async (env, words, flags) => (await import("./control-plane/commands/backup-main.ts")).main(env, words, flags),
  },
  restore: {
    about: "make a store out of such a file: `outpost restore <file> [--with-keys] [--replace]`",
    run: async (env, words, flags) => (await import("./control-plane/commands/restore-main.ts")).main(env, words, flags),
  },
  "set-up": {
    about: "print the address at which the first owner is made",
    run: async (env, words) => (await import("./control-plane/commands/set-up-main.ts")).main(env, words),
  },
  accounts: {
    about: "the accounts of the installation: `outpost accounts create <name>`, `accounts list`, `accounts delete <id>`",
    run: async (env, words) => (await import("./control-plane/commands/accounts-main.ts")).main(env, words),
  },
  keys: {
    about:
      "create, list and revoke API keys: `outpost keys create [--role READ_ONLY] [--name TEXT]`, `keys list`, `keys revoke <id>`, `keys reset-encryption`",
    run: async (env, words, flags) => (await import("./control-plane/commands/keys-main.ts")).main(env, words, flags),
  },
  people: {
    about: "turn off the second factor of somebody who lost it: `outpost people reset-second-factor ada@example.com`",
    run: async (env, words) => (await import("./control-plane/commands/people-main.ts")).main(env, words),
  },
  "location-key": {
    about: "print a new key of a location: `outpost location-key eu-west-1`",
    run: async (env, words, flags) => (await import("./control-plane/commands/location-key-main.ts")).main(env, words, flags),
  },
  export: {
    about: "print the account's configuration as YAML: `outpost export > all.yaml`",
    run: async (env, words, flags) => (await import("./config-main.ts")).exportMain(env, words, flags),
  },
  apply: {
    about: "make the account what a file says; prints the changes first: `outpost apply all.yaml [--dry-run] [--prune]`",
    run: async (env, words, flags) => (await import("./config-main.ts")).applyMain(env, words, flags),
  },
  import: {
    about:
      "print checks made from what another tool has: `outpost import openapi|curl|blackbox|gatus|kuma <file>`, `outpost import checkly`",
    run: async (env, words, flags) => (await import("./config-main.ts")).importMain(env, words, flags),
  },
  suite: {
    about: "a Playwright project as a check: `outpost suite deploy ./e2e --location berlin`, or `suite run` once, without storing it",
    run: async (env, words, flags) => (await import("./suite-main.ts")).main(env, words, flags),
  },
  healthcheck,
  doctor: {
    about: "find out why a control plane cannot work here: database, disk, keys, mail, OpenID, S3, public URL, agents",
    run: async (env, words) => (await import("./control-plane/doctor/doctor-main.ts")).main(env, words),
  },
  openapi: { about: "print the OpenAPI document", run: async () => (await import("./control-plane/commands/openapi-main.ts")).main() },
} satisfies Commands;
