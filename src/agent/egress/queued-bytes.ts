import { readFileSync } from "node:fs";

/**
 * What the kernel holds of data that was sent and not read on connections to a port of this host, in bytes; 0 where it does not tell. It
 * is memory of the kernel, which no limit of a process counts.
 */
export function queuedBytes(port: number): number {
  const end = `:${port.toString(16).toUpperCase().padStart(4, "0")} `;
  try {
    return readFileSync("/proc/self/net/tcp", "latin1")
      .split("\n")
      .reduce((sum, line) => (line.includes(end) ? sum + queuesIn(line) : sum), 0);
  } catch {
    return 0;
  }
}

/** `sl local remote st tx_queue:rx_queue …`, hexadecimal. */
function queuesIn(line: string): number {
  const [, sent = "0", received = "0"] = / ([\dA-F]{8}):([\dA-F]{8}) /.exec(line) ?? [];
  return Number.parseInt(sent, 16) + Number.parseInt(received, 16);
}
