import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import type { Readable } from "node:stream";
import { ProbeError } from "../probe-error.ts";
import { dataBytes, echoTypes, type Family } from "./echo-packet.ts";
import { type Echo, type EchoPlan, type EchoRun, replyLimitMs } from "./echo-run.ts";
import { unsentError } from "./icmp-error.ts";

/** Not the agent's own environment, which holds its key; and English, which is what we read. */
const environment = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin", LC_ALL: "C" };
/** Fifty replies with all their errors take 8 kB. */
const outputLimitBytes = 64 * 1024;
/** Beyond the time that the plan itself takes. */
const graceMs = 2_000;

/**
 * The same run by the system's `ping`, which may have rights that we have not (a capability of its file). Null where it
 * may not either, or does not exist. Its own numbers are kept, so round trips are as exact as it tells them.
 *
 * @throws {ProbeError} ENETUNREACH … when it could not send; EPING when it ended otherwise
 * @throws the signal's reason
 */
export async function runPingProgram(address: string, family: Family, plan: EchoPlan): Promise<EchoRun | null> {
  const { count, intervalMs } = plan;
  const limitMs = count * intervalMs + replyLimitMs + graceMs;
  const seconds = (ms: number): string => String(ms / 1_000);
  const words = ["-n", `-${family}`, "-c", String(count), "-i", seconds(intervalMs), "-s", String(dataBytes), "-W", seconds(replyLimitMs)];
  const ended = await runProgram("ping", [...words, "--", address], limitMs, plan.signal);
  if (ended === null || /not permitted|permission denied|cap_net_raw/i.test(ended.stderr)) return null;
  if (ended.exitCode !== 0 && ended.exitCode !== 1) throw programFailure(address, ended);
  return readPingOutput(ended.stdout, family, count);
}

/** Whether the system's `ping` can send, by one echo to this host itself. Blocks for as long as that takes, at most a second. */
export function pingProgramWorks(): boolean {
  return spawnSync("ping", ["-n", "-c", "1", "-W", "1", "127.0.0.1"], { env: environment, stdio: "ignore", timeout: 1_000 }).status === 0;
}

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
}

/** Null when the program could not even be started. Settles when it is gone; an abort and the limit kill its whole group. */
async function runProgram(name: string, words: readonly string[], limitMs: number, signal: AbortSignal): Promise<Ended | null> {
  signal.throwIfAborted();
  const child = start(name, words);
  if (child === null) return null;
  const { promise, resolve } = Promise.withResolvers<Ended | null>();
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("latin1");
    child[stream].on("error", () => undefined); // the end of the program says enough
    child[stream].on("data", (chunk: string) => (output[stream] = (output[stream] + chunk).slice(0, outputLimitBytes)));
  }
  const kill = (): void => killGroup(child);
  child.once("error", () => resolve(null));
  child.once("close", (exitCode) => resolve({ ...output, exitCode }));
  const timer = setTimeout(kill, limitMs);
  signal.addEventListener("abort", kill);
  const ended = await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", kill);
  signal.throwIfAborted();
  return ended;
}

/** Null where the kernel forbids to execute it: a file with capabilities that this process can never have. */
function start(name: string, words: readonly string[]): ChildProcessByStdio<null, Readable, Readable> | null {
  try {
    return spawn(name, words, { env: environment, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  } catch {
    return null;
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it ended by itself
  }
}

function programFailure(address: string, { stderr }: Ended): ProbeError {
  const line = stderr.split("\n", 1)[0] ?? "";
  if (/network is unreachable|cannot assign/i.test(line)) return unsentError(address, "ENETUNREACH");
  if (/no route to host/i.test(line)) return unsentError(address, "EHOSTUNREACH");
  return new ProbeError("EPING", `the system's ping failed: ${line.slice(0, 200)}`, { side: "agent" });
}

/** What the system's ping says of ICMP errors, beginning with the longest. */
const errorTexts: { readonly [F in Family]: readonly (readonly [text: string, type: number, code: number])[] } = {
  4: [
    ["Destination Net Unreachable", 3, 0],
    ["Destination Host Unreachable", 3, 1],
    ["Destination Protocol Unreachable", 3, 2],
    ["Destination Port Unreachable", 3, 3],
    ["Frag needed", 3, 4],
    ["Destination Net Unknown", 3, 6],
    ["Destination Host Unknown", 3, 7],
    ["Destination Net Prohibited", 3, 9],
    ["Destination Host Prohibited", 3, 10],
    ["Packet filtered", 3, 13],
    ["Time to live exceeded", 11, 0],
  ],
  6: [
    ["No route", 1, 0],
    ["Administratively prohibited", 1, 1],
    ["Address unreachable", 1, 3],
    ["Port unreachable", 1, 4],
    ["Packet too big", 2, 0],
    ["Hop limit", 3, 0],
  ],
};

/** Reads the lines of iputils' ping. Lines that it does not know are passed over; the first reply of a number counts. */
export function readPingOutput(stdout: string, family: Family, count: number): EchoRun {
  const echoes = Array.from({ length: count }, (_, index): Echo => blank(index + 1));
  for (const line of stdout.split("\n")) {
    const sequence = Number(/icmp_seq=(\d{1,5})\b/.exec(line)?.[1] ?? 0);
    const echo = echoes[sequence - 1];
    if (echo === undefined || echo.rttMs !== null) continue;
    const reply = /\bttl=(\d{1,3}) time=(\d{1,7}(?:\.\d{1,6})?) ms/.exec(line);
    const error = errorTexts[family].find(([text]) => line.includes(text));
    if (reply !== null && Number(reply[2]) <= replyLimitMs) echoes[sequence - 1] = replied(echo, reply, family);
    else if (reply === null && error !== undefined) {
      echoes[sequence - 1] = { ...echo, type: error[1], code: error[2], from: /^From (\S+?):? /.exec(line)?.[1] ?? null };
    }
  }
  return { echoes, unsentBecause: null };
}

function blank(sequence: number): Echo {
  return { sequence, wasSent: true, rttMs: null, ttl: null, type: null, code: null, from: null };
}

function replied(echo: Echo, [, ttl, time]: RegExpExecArray, family: Family): Echo {
  return { ...echo, rttMs: Number(time), ttl: Number(ttl), type: echoTypes[family].reply, code: 0, from: null };
}
