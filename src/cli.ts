#!/usr/bin/env node
import { agentCommands } from "./agent-commands.ts";
import { commandLine } from "./command-line.ts";
import { controlPlaneCommands } from "./control-plane-commands.ts";

const up = {
  about: "control plane, one agent and a demo check, on this machine",
  run: async (env: NodeJS.ProcessEnv): Promise<number> => (await import("./up.ts")).up(env),
};

process.exitCode = await commandLine({ up, ...controlPlaneCommands, ...agentCommands }, process.argv.slice(2));
