import type { ApiCheckResult } from "#contract/checks/api.ts";
import type { ConnectionFacts } from "#contract/checks/connection.ts";
import type { GrpcCheckResult } from "#contract/checks/grpc.ts";
import type { CheckType, OneScriptType, PromptType, ResultOf, SettingsOf } from "#contract/checks/index.ts";
import { type PlaywrightStep, webVitalNames } from "#contract/checks/playwright-run.ts";
import type { SslCheckResult } from "#contract/checks/ssl.ts";
import { grpcMethodName } from "#domain/grpc-request.ts";
import { type HopPart, hopParts } from "#domain/traceroute-hops.ts";
import type { Observation } from "../runners/check-runner.ts";
import { lostMark, type Phases, sparkline } from "./charts.ts";
import { bytes, type Colour, milliseconds } from "./layout.ts";

/** A line of the report: what it is about, and text that is not yet made harmless. */
export interface Row {
  /** Null gives its column to the text. */
  readonly label: string | null;
  readonly text: string;
  readonly colour?: Colour;
}

/** How the result of one check type is told. */
export interface Telling<T extends CheckType> {
  /** What is checked, in a line. */
  readonly subject: (settings: SettingsOf<T>) => string;
  /** What the chart shows; they follow one another in time. */
  readonly phases: (seen: Pick<Observation<T>, "metrics" | "result">) => Phases;
  readonly rows: (result: ResultOf<T>) => readonly Row[];
}

/** A check type that cannot be told does not compile. */
export const tellings: { readonly [T in CheckType]: Telling<T> } = {
  API: { subject: ({ request }) => `${request.method} ${request.url}`, phases: ({ metrics }) => metrics, rows: httpRows },
  URL: { subject: ({ request }) => `GET ${request.url}`, phases: ({ metrics }) => metrics, rows: httpRows },
  TCP: {
    subject: ({ request }) => `TCP ${request.hostname}:${request.port}`,
    phases: ({ metrics }) => withoutTotal(metrics),
    rows: tcpRows,
  },
  DNS: {
    subject: ({ request }) => `${request.query} ${request.recordType}${request.nameServer ? ` @${request.nameServer}` : ""}`,
    phases: ({ result }) => withoutTotal(result.response?.timingPhases ?? {}),
    rows: dnsRows,
  },
  ICMP: { subject: ({ request }) => `ping ${request.hostname}`, phases: () => ({}), rows: icmpRows },
  SSL: {
    subject: ({ request: { sslConfig } }) => `SSL ${sslConfig.hostname}:${sslConfig.port}`,
    phases: ({ result }) => withoutTotal(result.response?.timingPhases ?? {}),
    rows: sslRows,
  },
  GRPC: {
    subject: ({ request: { url, port, grpcConfig } }) => `gRPC ${url}:${port} ${grpcMethodName(grpcConfig)}`,
    phases: ({ metrics }) => metrics,
    rows: grpcRows,
  },
  TRACEROUTE: {
    subject: ({ request: { url, protocol } }) => `path to ${url} by ${protocol ?? "TCP"}`,
    phases: ({ result }) => withoutTotal(result.timingPhases ?? {}),
    rows: pathRows,
  },
  MULTI_STEP: { subject: scriptSubject, phases: () => ({}), rows: scriptRows },
  PLAYWRIGHT: { subject: ({ testCommand }) => testCommand, phases: () => ({}), rows: browserRows },
  BROWSER: { subject: scriptSubject, phases: () => ({}), rows: browserRows },
  AGENTIC: { subject: ({ prompt }) => firstLine(prompt ?? ""), phases: () => ({}), rows: promptRows },
};

function withoutTotal({ total: _total, ...phases }: Phases): Phases {
  return phases;
}

function httpRows({ response, connection, redirects, jobLog }: ApiCheckResult): Row[] {
  const rows = [...logRows(jobLog), ...connectionRows(connection)];
  for (const { status, location } of redirects) rows.push({ label: "redirect", text: `${status} → ${location}` });
  if (response === null) return rows;
  const type = response.headers["content-type"];
  const size = `${bytes(response.bodyBytes)}${typeof type === "string" ? ` of ${type}` : ""}`;
  rows.push({ label: "status", text: `${response.status} ${response.statusText}`.trim() });
  rows.push({ label: "body", text: response.truncated ? `${size}, more than is stored` : size });
  return rows;
}

const levelColours: Readonly<Record<string, Colour | undefined>> = { WARN: "yellow", ERROR: "red" };

/** What scripts said, and what is to be heeded of the request; what it came to stands elsewhere. */
function logRows(jobLog: ApiCheckResult["jobLog"]): Row[] {
  const { setup = [], request = [], teardown = [] } = jobLog ?? {};
  const told = { setup, request: request.filter(({ level }) => level === "WARN"), teardown };
  return Object.entries(told).flatMap(([label, entries]) =>
    entries.map(({ msg, level }) => {
      const colour = levelColours[level];
      return { label, text: msg, ...(colour !== undefined && { colour }) };
    }),
  );
}

function tcpRows({ response, connection }: ResultOf<"TCP">): Row[] {
  const rows = connectionRows(connection);
  if (response === null || response.endedBy === "nothing_asked") return rows;
  const told = response.bytesReceived === 0 ? "nothing" : response.dataEncoding === undefined ? JSON.stringify(response.data) : "no text";
  rows.push({ label: "received", text: `${told} (${bytes(response.bytesReceived)}, ended by ${response.endedBy})` });
  return rows;
}

/** With TLS, what the handshake showed. */
function connectionRows(connection: ConnectionFacts | null): Row[] {
  if (connection === null) return [];
  const { remoteAddress, remotePort, tls } = connection;
  const peer = remoteAddress.includes(":") ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
  const rows: Row[] = [{ label: "connection", text: peer }];
  if (tls === null) return rows;
  const trust = tls.authorized ? "trusted" : `not trusted (${tls.trustError ?? "no reason given"})`;
  const expiry = tls.daysRemaining === null ? "" : `, ${expiryText(tls.daysRemaining)}`;
  rows.push({ label: "tls", text: `${tls.protocol} ${tls.cipher}, ${trust}${expiry}`, ...(!tls.authorized && { colour: "yellow" }) });
  return rows;
}

function expiryText(days: number): string {
  return days < 0 ? `expired ${-days} days ago` : `${days} days left`;
}

function grpcRows({ response, connection }: GrpcCheckResult): Row[] {
  const rows = connectionRows(connection);
  if (response === null) return rows;
  const { grpcStatusCode, grpcStatusName, grpcStatusMessage, healthStatus, healthStatusLabel, responseMessage, messageBytes } = response;
  const words = grpcStatusMessage === "" ? "" : `: ${grpcStatusMessage}`;
  rows.push({ label: "status", text: `${grpcStatusName} (${grpcStatusCode})${words}`, ...(grpcStatusCode !== 0 && { colour: "red" }) });
  if (healthStatus !== null)
    rows.push({ label: "health", text: `${healthStatusLabel} (${healthStatus})`, colour: healthStatus === 1 ? "green" : "red" });
  if (responseMessage === "") return rows;
  rows.push({ label: "message", text: responseMessage });
  rows.push({ label: "", text: `${bytes(messageBytes)} as protobuf`, colour: "dim" });
  return rows;
}

function dnsRows({ response }: ResultOf<"DNS">): Row[] {
  if (response === null) return [];
  const { server, protocolUsed, responseCode, tried, text } = response;
  return [
    ...tried.map((one): Row => ({ label: "tried", text: `${one.server}: ${one.error}`, colour: "yellow" })),
    { label: "server", text: `${server}, ${protocolUsed}, ${bytes(response.bytes)}` },
    { label: "status", text: responseCode },
    { label: null, text: "" },
    ...text
      .trim()
      .split("\n")
      .map((line): Row => ({ label: null, text: line.replace(/\t+/g, "  ") })),
  ];
}

function icmpRows({ response }: ResultOf<"ICMP">): Row[] {
  if (response === null) return [];
  const { resolvedIp, packetsSent, packetsReceived, packetSize, packetLoss, latency, pingResults } = response;
  const ttls = [...new Set(pingResults.flatMap(({ ttl }) => ttl ?? []))];
  const figure = (name: string, ms: number | null): string => (ms === null ? "" : `, ${name} ${milliseconds(ms)}`);
  const figures = (["min", "avg", "max", "stdDev"] as const).map((name) => figure(name, latency[name])).join("");
  const rows: Row[] = [
    { label: "address", text: `${resolvedIp}${ttls.length === 0 ? "" : `, ttl ${ttls.join(" ")}`}` },
    { label: "pings", text: sparkline(pingResults.map(({ success, rtt }) => (success ? rtt : null))), colour: "cyan" },
    { label: "", text: `loss ${packetLoss} %${figures}` },
    { label: "", text: `${packetsReceived} of ${packetsSent} replies, ${packetSize} data bytes each` },
  ];
  if (packetsReceived < packetsSent) rows.push({ label: "", text: `${lostMark} no reply`, colour: "dim" });
  return rows;
}

function pathRows({ response }: ResultOf<"TRACEROUTE">): Row[] {
  if (response === null) return [];
  const { resolvedIp, probeProtocol, port, hops, packetLoss, destinationReached, destinationState, refusal } = response;
  const rows: Row[] = [{ label: "address", text: `${resolvedIp}, ${probeProtocol}${port === null ? "" : ` to port ${port}`}` }];
  for (const part of hopParts(hops)) rows.push({ label: rows.length === 1 ? "path" : "", ...hopText(part) });
  if (refusal !== null)
    rows.push({ label: "refused", text: `${refusal.address ?? "somebody"} at hop ${refusal.hop}: ${refusal.says}`, colour: "red" });
  if (destinationReached) rows.push({ label: "target", text: `${destinationState}, loss ${packetLoss} %`, colour: "green" });
  return rows;
}

/** `3  10.0.0.7 (core.example), 12.1 ms`. */
function hopText({ first, last, hop }: HopPart): Omit<Row, "label"> {
  const number = (first === last ? String(first) : `${first}-${last}`).padStart(5);
  if (hop === null) return { text: `${number}  *`, colour: "dim" };
  const { address, hostname, packetLoss, latency, addresses, alternatives } = hop;
  const name = hostname === null ? "" : ` (${hostname})`;
  const time = latency.avg === null ? "" : `, ${milliseconds(latency.avg)}`;
  const loss = packetLoss === 0 ? "" : `, loss ${packetLoss} %`;
  const others = [...addresses, ...alternatives].filter((one) => one !== address);
  return { text: `${number}  ${address}${name}${time}${loss}${others.length === 0 ? "" : `, also ${others.join(" ")}`}` };
}

function scriptSubject({ scriptPath }: SettingsOf<OneScriptType>): string {
  return scriptPath ?? "script";
}

const testColours: Readonly<Record<string, Colour | undefined>> = { passed: "green", skipped: "dim", flaky: "yellow" };

/** Its tests with their steps, then what the script said. */
function scriptRows({ tests, steps, jobLog, runtimeVersion, playwrightVersion }: ResultOf<"MULTI_STEP">): Row[] {
  const rows: Row[] = [{ label: "runtime", text: `${runtimeVersion}, Playwright ${playwrightVersion}` }];
  for (const [index, { title, status, durationMs }] of tests.entries()) {
    rows.push({ label: "test", text: `${title}, ${status} after ${milliseconds(durationMs)}`, colour: testColours[status] ?? "red" });
    for (const step of steps) if (step.test === index && step.depth < shownDepth) rows.push(stepRow(step));
  }
  for (const { level, msg } of jobLog) {
    const colour = levelColours[level];
    rows.push({ label: "log", text: msg, ...(colour !== undefined && { colour }) });
  }
  return rows;
}

const shownDepth = 2;

function stepRow({ title, depth, durationMs, error }: PlaywrightStep): Row {
  const text = `${"  ".repeat(depth + 1)}${title}, ${milliseconds(durationMs)}`;
  return error === null ? { label: "", text } : { label: "", text: `${text}: ${error.split("\n")[0]}`, colour: "red" };
}

function firstLine(prompt: string): string {
  const [line = ""] = prompt.trim().split("\n");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

const modeTexts: Readonly<Record<ResultOf<PromptType>["mode"], string>> = {
  model: "the model",
  replay: "the steps of an earlier run",
  replay_then_model: "the steps of an earlier run, then the model",
};

/** What was done, and each assertion with what was seen. */
function promptRows({ mode, browserVersion, steps, assertions, summary, jobLog }: ResultOf<PromptType>): Row[] {
  const done = steps.filter(({ type }) => type === "tool_call");
  const failed = new Set(
    steps.flatMap(({ type, output, sequenceNumber }) => (type === "tool_result" && output.startsWith("error:") ? sequenceNumber - 1 : [])),
  );
  return [
    { label: "led by", text: modeTexts[mode] },
    { label: "browser", text: browserVersion },
    ...done.map(({ name, input, sequenceNumber }): Row => {
      const text = `${name} ${JSON.stringify(input)}`.slice(0, 200);
      return failed.has(sequenceNumber) ? { label: "step", text, colour: "red" } : { label: "step", text };
    }),
    ...assertions.map(
      ({ condition, passed, actual }): Row => ({
        label: passed ? "true" : "false",
        text: `${condition}: ${actual}`,
        colour: passed ? "green" : "red",
      }),
    ),
    ...(summary === null ? [] : [{ label: "report", text: summary }]),
    ...jobLog
      .filter(({ level }) => level === "WARN" || level === "ERROR")
      .map(({ msg }): Row => ({ label: "log", text: msg, colour: "yellow" })),
  ];
}

function browserRows(result: ResultOf<"BROWSER"> | ResultOf<"PLAYWRIGHT">): Row[] {
  const { pages, browserVersion } = result;
  const shown = pages.map(({ url, webVitals }): Row => {
    const vitals = webVitalNames.flatMap((name) => {
      const value = webVitals[name]?.value;
      return value === undefined ? [] : [`${name} ${name === "CLS" ? value.toFixed(3) : milliseconds(value)}`];
    });
    return { label: "page", text: [url, ...vitals].join(", ") };
  });
  return [{ label: "browser", text: browserVersion }, ...scriptRows(result), ...shown];
}

function sslRows({ response }: SslCheckResult): Row[] {
  if (response === null) return [];
  const { securityBaseline: baseline, chain } = response;
  const trust = response.chainTrusted === true ? "trusted" : `not trusted: ${response.chainTrustDetail}`;
  const ocsp = response.ocspStapled ? `OCSP stapled: ${response.ocspStatus}` : "no OCSP staple";
  const rows: Row[] = [
    { label: "address", text: `${response.resolvedIp}:${response.port}, asked for ${response.serverName}` },
    { label: "tls", text: `${response.protocol} ${response.cipherSuite ?? ""}`.trim() },
    { label: "trust", text: `${trust}; ${ocsp}`, colour: response.chainTrusted === true ? "green" : "red" },
    ...chain.map((one, index): Row => {
      const indent = index === 0 ? "" : `${"  ".repeat(index - 1)}└ `;
      return {
        label: index === 0 ? "chain" : "",
        text: `${indent}${one.subject.replaceAll("\n", ", ")}, ${expiryText(one.daysUntilExpiry)}`,
      };
    }),
  ];
  if (response.missingIntermediate !== "") rows.push({ label: "", text: `not sent: ${response.missingIntermediate}`, colour: "yellow" });
  if (baseline === null) return rows;
  rows.push({
    label: "grade",
    text: `${baseline.grade} (${baseline.score} of 100)`,
    colour: baseline.verdict === "pass" ? "green" : "yellow",
  });
  const broken = baseline.findings.filter(({ passed }) => !passed);
  return [...rows, ...broken.map(({ rule, message }): Row => ({ label: "", text: `${rule}: ${message}`, colour: "dim" }))];
}
