#!/usr/bin/env node
import { agentCommands } from "./agent-commands.ts";
import { type Command, commandLine } from "./command-line.ts";
import { controlPlaneCommands } from "./control-plane-commands.ts";

const up: Command = {
  about: "control plane, one agent and a demo check, on this machine",
  run: async (env, _words, flags) => (await import("./up.ts")).up(env, flags),
};

/** Of either part; the agent's unless told. */
const doctor: Command = {
  about: "find out why an agent cannot work here, or, with the word control-plane, why a control plane cannot",
  run: async (env, words, flags) => {
    const { doctor: examines } = words[0] === "control-plane" ? controlPlaneCommands : agentCommands;
    return await examines.run(env, words, flags);
  },
};

process.exitCode = await commandLine({ up, ...controlPlaneCommands, ...agentCommands, doctor }, process.argv.slice(2));
