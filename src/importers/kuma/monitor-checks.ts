import { DnsRecordType } from "#contract/checks/dns.ts";
import type { Importing } from "../imported.ts";
import { timeLimits } from "../limits.ts";
import { type Fields, textOf } from "../yaml-text.ts";
import { httpChecks } from "./http-monitor.ts";
import { isOn, type MonitorCheck, timeoutOf } from "./monitor.ts";

type MonitorReader = (importing: Importing, monitor: Fields, where: string) => readonly MonitorCheck[];

const readers: Readonly<Record<string, MonitorReader>> = {
  http: httpChecks,
  keyword: httpChecks,
  "json-query": httpChecks,
  port: portChecks,
  ping: (_importing, { hostname }) => [{ checkType: "ICMP", request: { hostname: textOf(hostname) ?? "", pingCount: 1 } }],
  dns: dnsChecks,
  "grpc-keyword": grpcChecks,
};

/** The checks that stand for a monitor. */
export function monitorChecks(importing: Importing, monitor: Fields, where: string): readonly MonitorCheck[] {
  const type = textOf(monitor["type"]) ?? "";
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (reader === undefined) {
    importing.warn(`${where}.type`, "left out: only HTTP, keyword, JSON query, port, ping, DNS, gRPC and push monitors become checks");
    return [];
  }
  // A port that must not answer is a check that should fail; of all else nothing is turned round.
  if (isOn(monitor["upsideDown"]) && type !== "port") {
    importing.warn(`${where}.upsideDown`, "left out: no check passes when this monitor's target does not answer");
    return [];
  }
  return reader(importing, monitor, where);
}

/** When pings of a push monitor are expected. */
export function heartbeatOf({ interval, maxretries, retryInterval }: Fields): object {
  const seconds = (value: unknown): number => (typeof value === "number" && value > 0 ? Math.ceil(value) : 0);
  return {
    period: Math.max(30, seconds(interval)),
    periodUnit: "seconds",
    grace: seconds(maxretries) * seconds(retryInterval),
    graceUnit: "seconds",
  };
}

function portChecks(importing: Importing, monitor: Fields, where: string): readonly MonitorCheck[] {
  const { hostname, port, upsideDown } = monitor;
  const limits = timeLimits(importing, `${where}.timeout`, "TCP", timeoutOf(monitor));
  const request = { hostname: textOf(hostname) ?? "", port: Number(port) };
  return [{ checkType: "TCP", request, ...(isOn(upsideDown) && { shouldFail: true }), ...limits }];
}

function dnsChecks(importing: Importing, monitor: Fields, where: string): readonly MonitorCheck[] {
  const recordType = DnsRecordType.safeParse((textOf(monitor["dns_resolve_type"]) ?? "A").toUpperCase());
  if (!recordType.success) {
    importing.warn(`${where}.dns_resolve_type`, `left out: a check asks for one of ${DnsRecordType.options.join(", ")}`);
    return [];
  }
  const [server, ...others] = (textOf(monitor["dns_resolve_server"]) ?? "").split(",").map((one) => one.trim());
  if (others.length > 0) importing.warn(`${where}.dns_resolve_server`, "only the first server is asked");
  const port = Number(monitor["port"]);
  const request = {
    query: textOf(monitor["hostname"]) ?? "",
    recordType: recordType.data,
    ...(server !== undefined && server !== "" && { nameServer: server, ...(port > 0 && { port }) }),
  };
  return [{ checkType: "DNS", request, ...timeLimits(importing, `${where}.timeout`, "DNS", timeoutOf(monitor)) }];
}

function grpcChecks(importing: Importing, monitor: Fields, where: string): readonly MonitorCheck[] {
  const address = /^(?:[a-z]+:\/\/)?(?:\[([^\]]+)\]|([^:/?#]+)):(\d{1,5})$/i.exec(textOf(monitor["grpcUrl"]) ?? "");
  const host = address?.[1] ?? address?.[2];
  if (host === undefined) {
    importing.warn(`${where}.grpcUrl`, "left out: it names no host and port");
    return [];
  }
  const text = (field: string): string | null => textOf(monitor[field]) ?? null;
  const keyword = text("keyword");
  const comparison = isOn(monitor["invertKeyword"]) ? "NOT_CONTAINS" : "CONTAINS";
  const grpcConfig = {
    mode: "BEHAVIOR",
    tls: isOn(monitor["grpcEnableTls"]),
    service: text("grpcServiceName"),
    method: text("grpcMethod"),
    serviceDefinition: "PROTO_FILE",
    protoContent: text("grpcProtobuf"),
    message: text("grpcBody"),
  };
  const assertions = keyword === null || keyword === "" ? [] : [{ source: "TEXT_BODY", comparison, target: keyword }];
  return [{ checkType: "GRPC", request: { url: host, port: Number(address?.[3]), grpcConfig, assertions } }];
}
