import { registerHooks } from "node:module";
import { threadId } from "node:worker_threads";

/* Loaded before a process: says on its standard error when something of OpenTelemetry is loaded, as packages or as a built chunk. */
if (threadId === 0) {
  registerHooks({
    load(url, context, next) {
      if (/@opentelemetry\/|\/chunks\/otlp-/.test(url)) process.stderr.write(`loaded for telemetry: ${url.split("/").at(-1)}\n`);
      return next(url, context);
    },
  });
}
