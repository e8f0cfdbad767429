/** Puts reports of 1 to 200 KB as fast as it can and prints the number of each one that is durable, until it is killed. */
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import pino from "pino";
import { systemClock } from "../../src/agent/host/clock.ts";
import { diskFiles } from "../../src/agent/outbox/outbox-files.ts";
import { ResultOutbox } from "../../src/agent/outbox/result-outbox.ts";
import { attemptReport } from "../support/attempt-report.ts";

const [, , folder = "", first = "0"] = process.argv;
const log = pino({ level: "silent" });
const outbox = new ResultOutbox({
  files: diskFiles,
  clock: systemClock,
  log,
  folder,
  agentId: randomUUID(),
  limitBytes: 1e9,
  limitMs: 86_400_000,
  onDrop: () => undefined,
});
await outbox.start();

for (let n = Number(first) + 1; ; n += 4) {
  await Promise.all(
    [0, 1, 2, 3].map(async (lane) => {
      const detail = "x".repeat(1_000 + Math.floor(Math.random() * 200_000));
      await outbox.put(attemptReport({ jobId: randomUUID(), attempt: n + lane, resultType: lane === 0 ? "ATTEMPT" : "FINAL", detail }));
      writeSync(1, `${n + lane}\n`);
    }),
  );
}
