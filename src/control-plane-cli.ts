#!/usr/bin/env node
import { commandLine } from "./command-line.ts";
import { controlPlaneCommands } from "./control-plane-commands.ts";

process.exitCode = await commandLine(controlPlaneCommands, process.argv.slice(2));
