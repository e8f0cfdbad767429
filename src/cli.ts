#!/usr/bin/env node
import { agentCommands } from "./agent-commands.ts";
import { type Command, commandLine } from "./command-line.ts";
import { controlPlaneCommands } from "./control-plane-commands.ts";

const up: Command = {
  about: "control plane, one agent and a demo check, on this machine",
  run: async (env, _words, flags) => (await import("./up.ts")).up(env, flags),
};

process.exitCode = await commandLine({ up, ...controlPlaneCommands, ...agentCommands }, process.argv.slice(2));
