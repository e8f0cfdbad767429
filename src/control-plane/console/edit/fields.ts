import { ApiAssertion } from "#contract/checks/api.ts";
import { comparisons } from "#contract/checks/assertion.ts";
import { DnsAssertion, DnsProtocol, DnsRecordType } from "#contract/checks/dns.ts";
import { timeUnits } from "#contract/checks/heartbeat.ts";
import { IcmpAssertion } from "#contract/checks/icmp.ts";
import { SslAssertion } from "#contract/checks/ssl.ts";
import { TcpAssertion } from "#contract/checks/tcp.ts";
import { UrlAssertion } from "#contract/checks/url.ts";

/** A field of the form, under the path that its value has in the body of the operation; so an error of that path stands beside it. */
export interface CheckField {
  readonly path: string;
  readonly label: string;
  /** `pairs`: lines of a name and a value, which `between` parts. */
  readonly kind: "text" | "number" | "area" | "flag" | "choice" | "pairs";
  readonly options?: readonly string[];
  readonly between?: ":" | "=";
  readonly hint?: string;
  /** What an empty number stands for, by protocol; where none is stored it is left out. */
  readonly ofProtocol?: Readonly<Record<string, number>>;
  /** Stands in the part that is shut at first. */
  readonly isRare?: true;
}

/** Types that the form knows; the others come over REST. */
export const editableTypes = ["URL", "API", "TCP", "DNS", "ICMP", "SSL", "HEARTBEAT"] as const;
export type EditableType = (typeof editableTypes)[number];

export const typeTexts: Readonly<Record<EditableType, string>> = {
  URL: "URL: does a page answer",
  API: "API: does a request get the right answer",
  TCP: "TCP: does a port accept connections",
  DNS: "DNS: does a name resolve",
  ICMP: "ICMP: does a host answer pings",
  SSL: "SSL: is a certificate good and far from its end",
  HEARTBEAT: "Heartbeat: does a job report in time",
};

const limits: readonly CheckField[] = [
  { path: "degradedResponseTime", label: "Degraded above (ms)", kind: "number" },
  { path: "maxResponseTime", label: "Failing above (ms)", kind: "number" },
];
const http: readonly CheckField[] = [
  { path: "request.followRedirects", label: "Follow redirects", kind: "flag", isRare: true },
  { path: "request.skipSSL", label: "Take certificates that are not trusted", kind: "flag", isRare: true },
  { path: "shouldFail", label: "A status of 400 or more passes", kind: "flag", isRare: true },
];

export const fieldsOf: { readonly [T in EditableType]: readonly CheckField[] } = {
  URL: [{ path: "request.url", label: "URL", kind: "text", hint: "https://shop.example.com/" }, ...limits, ...http],
  API: [
    { path: "request.method", label: "Method", kind: "choice", options: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] },
    { path: "request.url", label: "URL", kind: "text", hint: "https://api.example.com/orders?limit=1" },
    { path: "request.headers", label: "Headers", kind: "pairs", between: ":", hint: "One a line, as Accept: application/json" },
    {
      path: "request.queryParameters",
      label: "Query parameters",
      kind: "pairs",
      between: "=",
      hint: "One a line, as limit=10",
      isRare: true,
    },
    { path: "request.bodyType", label: "Body", kind: "choice", options: ["NONE", "JSON", "FORM", "RAW", "GRAPHQL"] },
    { path: "request.body", label: "Content of the body", kind: "area" },
    ...limits,
    ...http,
  ],
  TCP: [
    { path: "request.hostname", label: "Host", kind: "text", hint: "A name or an address" },
    { path: "request.port", label: "Port", kind: "number" },
    { path: "request.tls", label: "Speak TLS from the first byte", kind: "flag" },
    { path: "request.data", label: "Data to send", kind: "area", isRare: true },
    ...limits,
    { path: "shouldFail", label: "A closed port passes", kind: "flag", isRare: true },
  ],
  DNS: [
    { path: "request.query", label: "Name to look up", kind: "text", hint: "shop.example.com" },
    { path: "request.recordType", label: "Record type", kind: "choice", options: DnsRecordType.options },
    { path: "request.nameServer", label: "Name server", kind: "text", hint: "Empty: those of the agent's machine" },
    {
      path: "request.port",
      label: "Port",
      kind: "number",
      hint: "Empty: 53, for DOT 853, for DOH 443",
      ofProtocol: { UDP: 53, TCP: 53, DOT: 853, DOH: 443 },
      isRare: true,
    },
    { path: "request.protocol", label: "Protocol", kind: "choice", options: DnsProtocol.options, isRare: true },
    ...limits,
  ],
  ICMP: [
    { path: "request.hostname", label: "Host", kind: "text", hint: "A name or an address" },
    { path: "request.pingCount", label: "Pings each time", kind: "number" },
    { path: "degradedPacketLossThreshold", label: "Degraded above (% lost)", kind: "number" },
    { path: "maxPacketLossThreshold", label: "Failing above (% lost)", kind: "number" },
  ],
  SSL: [
    { path: "request.sslConfig.hostname", label: "Host", kind: "text", hint: "shop.example.com" },
    { path: "request.sslConfig.port", label: "Port", kind: "number" },
    { path: "request.sslConfig.alertDaysBeforeExpiry", label: "Degraded from so many days before the end", kind: "number" },
    { path: "request.sslConfig.skipChainValidation", label: "Take chains that are not trusted", kind: "flag", isRare: true },
    ...limits,
  ],
  HEARTBEAT: [
    { path: "heartbeat.period", label: "A ping is expected every", kind: "number" },
    { path: "heartbeat.periodUnit", label: "Unit", kind: "choice", options: timeUnits },
    { path: "heartbeat.grace", label: "It may be late by", kind: "number" },
    { path: "heartbeat.graceUnit", label: "Unit of that", kind: "choice", options: timeUnits },
  ],
};

/** What creation begins with; the operation fills in the rest. */
export const startsOf: { readonly [T in EditableType]: Readonly<Record<string, unknown>> } = {
  URL: { request: { url: "", followRedirects: true }, degradedResponseTime: 3_000, maxResponseTime: 5_000 },
  API: {
    request: {
      method: "GET",
      url: "",
      followRedirects: true,
      bodyType: "NONE",
      assertions: [{ source: "STATUS_CODE", property: "", comparison: "EQUALS", target: "200" }],
    },
    degradedResponseTime: 5_000,
    maxResponseTime: 20_000,
  },
  TCP: { request: { hostname: "" }, degradedResponseTime: 3_000, maxResponseTime: 5_000 },
  DNS: { request: { query: "", recordType: "A", protocol: "UDP" }, degradedResponseTime: 500, maxResponseTime: 1_000 },
  ICMP: { request: { hostname: "", pingCount: 10 }, degradedPacketLossThreshold: 10, maxPacketLossThreshold: 20 },
  SSL: {
    request: { sslConfig: { hostname: "", port: 443, alertDaysBeforeExpiry: 20 } },
    degradedResponseTime: 3_000,
    maxResponseTime: 10_000,
  },
  HEARTBEAT: { heartbeat: { period: 1, periodUnit: "days", grace: 10, graceUnit: "minutes" } },
};

export interface AssertionChoices {
  readonly sources: readonly string[];
  readonly comparisons: readonly string[];
}

const choices = (schema: {
  readonly shape: {
    readonly source: { readonly options: readonly string[] };
    readonly comparison: { readonly options: readonly string[] };
  };
}) => ({
  sources: schema.shape.source.options,
  comparisons: comparisons.filter((one) => schema.shape.comparison.options.includes(one)),
});

/** Null: such a check asserts nothing. */
export const assertionsOf: { readonly [T in EditableType]: AssertionChoices | null } = {
  URL: choices(UrlAssertion),
  API: choices(ApiAssertion),
  TCP: choices(TcpAssertion),
  DNS: choices(DnsAssertion),
  ICMP: choices(IcmpAssertion),
  SSL: choices(SslAssertion),
  HEARTBEAT: null,
};

/** Minutes and, below one, seconds: `frequency/frequencyOffset`. */
export const intervals: readonly (readonly [value: string, text: string])[] = [
  ["0/10", "10 seconds"],
  ["0/20", "20 seconds"],
  ["0/30", "30 seconds"],
  ["1", "minute"],
  ["2", "2 minutes"],
  ["5", "5 minutes"],
  ["10", "10 minutes"],
  ["15", "15 minutes"],
  ["30", "30 minutes"],
  ["60", "hour"],
  ["120", "2 hours"],
  ["180", "3 hours"],
  ["360", "6 hours"],
  ["720", "12 hours"],
  ["1440", "day"],
];
