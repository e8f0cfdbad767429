#!/usr/bin/env node
import { controlPlaneCommands } from "./control-plane-commands.ts";
import { commandLine } from "./command-line.ts";

process.exitCode = await commandLine(controlPlaneCommands, process.argv.slice(2));
