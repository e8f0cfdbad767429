#!/usr/bin/env node
import { agentCommands } from "./agent-commands.ts";
import { commandLine } from "./command-line.ts";

process.exitCode = await commandLine(agentCommands, process.argv.slice(2));
