import { createRequire } from "node:module";
import pino, { type DestinationStream, type Logger } from "pino";
import type { PinoPretty } from "pino-pretty";

export type { Logger } from "pino";

/** The values of LOG_LEVEL (behaviour 5); LOG is the field's older word for what pino calls info. */
export const logLevels = ["DEBUG", "LOG", "INFO", "WARN", "ERROR"] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * JSON lines, or readable lines on a terminal. Logs go to standard error, so that standard output stays for
 * what a command prints.
 *
 * @param take gets each line as JSON as well
 */
export function createLogger(name: string, level: LogLevel, terminal: boolean, take?: (line: string) => void): Logger {
  const formatters = { level: (label: string) => ({ level: label }) }; // what collectors of logs expect, not pino's numbers
  const options = { name, level: level === "LOG" ? "info" : level.toLowerCase(), base: { name }, formatters };
  const out = terminal ? prettyStream() : pino.destination({ dest: 2, sync: true });
  return pino(options, take === undefined ? out : toBoth(out, take));
}

function toBoth(out: DestinationStream, take: (line: string) => void): DestinationStream {
  return {
    write(line) {
      out.write(line);
      take(line);
    },
  };
}

/** Loaded only on a terminal. */
function prettyStream(): DestinationStream {
  const pretty = createRequire(import.meta.url)("pino-pretty") as typeof PinoPretty; // a CommonJS module whose export is the function
  return pretty({ destination: 2, sync: true, ignore: "pid,hostname", translateTime: "SYS:HH:MM:ss.l", singleLine: true });
}
