import { type CheckType, isCheckType } from "#contract/checks/index.ts";
import { oneLine } from "../alerting/plain-text.ts";
import { type TracedPath, tracedPath } from "../traceroute-path.ts";
import { type Phase, phasesOf } from "./phases.ts";

/** What one run saw, whatever its check's type: what rules compare between a failed run and a good one. */
export interface Seen {
  /** Of `docs/errors.md`; null where there was an answer to judge. */
  readonly code: string | null;
  readonly statusCode: number | null;
  /** The step that the attempt ended in, by its times; null where that is not known. */
  readonly endedIn: "dns" | "tcp" | "tls" | "firstByte" | "download" | null;
  /** Whom it spoke to. */
  readonly address: string | null;
  readonly port: number | null;
  readonly certificate: SeenCertificate | null;
  readonly dns: { readonly code: string; readonly answers: readonly string[]; readonly server: string } | null;
  readonly path: TracedPath | null;
  /** What a router or a limit said about the path of a traceroute monitor. */
  readonly pathEnd: string | null;
  /** Sentences of those that failed. */
  readonly failedAssertions: readonly string[];
  /** A packet loss in percent, of ICMP monitors. */
  readonly packetLoss: number | null;
  /** Where the request was redirected to at last. */
  readonly redirectedTo: string | null;
  /** Of scripts: the first error, and a request that it made which failed. */
  readonly script: { readonly error: string; readonly request: string | null } | null;
  /** Why a script says that it is degraded. */
  readonly degradedBy: readonly string[];
  /** What its time was spent on. */
  readonly phases: readonly Phase[];
}

export interface SeenCertificate {
  /** The verification's code, where it failed a monitor of certificates. */
  readonly problem: string | null;
  readonly validTo: string | null;
  readonly daysLeft: number | null;
  readonly fingerprint: string | null;
  /** It is what the check looks at. */
  readonly isSubject: boolean;
}

const nothing: Seen = {
  code: null,
  statusCode: null,
  endedIn: null,
  address: null,
  port: null,
  certificate: null,
  dns: null,
  path: null,
  pathEnd: null,
  failedAssertions: [],
  packetLoss: null,
  redirectedTo: null,
  script: null,
  degradedBy: [],
  phases: [],
};

/**
 * @param detail the member of the check type as it is stored. It was read by the type's schema when it came, maybe by that of an older release: what is not
 * there is left out
 */
export function seenOf(
  type: string,
  { error, statusCode, detail }: { readonly error: string | null; readonly statusCode: number | null; readonly detail: unknown },
): Seen {
  const base = { ...nothing, code: codeOf(error), statusCode };
  const seen = asObject(detail);
  if (!isCheckType(type) || seen === null) return base;
  const failedAssertions = assertionsOf(seen["assertions"]);
  return { ...base, failedAssertions, phases: phasesOf(seen), degradedBy: textsOf(seen["degradedBy"]), ...readers[type](seen) };
}

/** Messages of runs without an answer begin with their code. */
export function codeOf(error: string | null): string | null {
  return /^([A-Z][A-Z0-9_]{2,40}): /.exec(error ?? "")?.[1] ?? null;
}

type Json = Readonly<Record<string, unknown>>;

type Reader = (seen: Json) => Partial<Seen>;

/** What the results of a type have in common with others is read by the same. */
const readers: Readonly<Record<CheckType, Reader>> = {
  API: answerSeen,
  URL: answerSeen,
  TCP: answerSeen,
  GRPC: answerSeen,
  DNS: dnsSeen,
  SSL: sslSeen,
  ICMP: icmpSeen,
  TRACEROUTE: tracerouteSeen,
  BROWSER: scriptSeen,
  MULTI_STEP: scriptSeen,
  PLAYWRIGHT: scriptSeen,
  AGENTIC: promptSeen,
};

function answerSeen(seen: Json): Partial<Seen> {
  return { ...connectionSeen(asObject(seen["connection"])), endedIn: endedIn(seen), redirectedTo: lastRedirect(seen["redirects"]) };
}

function connectionSeen(connection: Json | null): Partial<Seen> {
  const tls = asObject(connection?.["tls"]);
  return {
    address: asText(connection?.["remoteAddress"]),
    port: asNumber(connection?.["remotePort"]),
    certificate: tls && {
      problem: null, // a run that it fails has its code, and others were told to go on
      validTo: asText(tls["validTo"]),
      daysLeft: asNumber(tls["daysRemaining"]),
      fingerprint: asText(tls["fingerprint256"]),
      isSubject: false,
    },
  };
}

/** Where a failed attempt has no answer, its message names the step; answers have times. */
function endedIn(seen: Json): Seen["endedIn"] {
  const error = asText(seen["requestError"]) ?? "";
  if (/\b(?:DNS|name server|resolv|look-?up)/i.test(error)) return "dns";
  if (/\bconnect/i.test(error)) return "tcp";
  if (/\b(?:TLS|handshake|certificate)/i.test(error)) return "tls";
  if (/\b(?:headers?|first byte|answer)/i.test(error)) return "firstByte";
  return /\bbody\b/i.test(error) ? "download" : null;
}

function lastRedirect(redirects: unknown): string | null {
  return Array.isArray(redirects) ? asText(asObject(redirects.at(-1))?.["location"]) : null;
}

function dnsSeen(seen: Json): Partial<Seen> {
  const response = asObject(seen["response"]);
  const answer = asObject(response?.["answer"])?.["Answer"];
  const records = Array.isArray(answer) ? answer.slice(0, 100).flatMap((one) => recordText(asObject(one))) : [];
  return {
    endedIn: "dns",
    dns: response && {
      code: asText(response["responseCode"]) ?? "",
      answers: records.toSorted(),
      server: asText(response["server"]) ?? "",
    },
  };
}

function recordText(record: Json | null): readonly string[] {
  const [type, data] = [asText(record?.["type"]), asText(record?.["data"])];
  return type === null || data === null ? [] : [`${type} ${oneLine(data, 100)}`];
}

/** Others may come with a chain that the monitor was told to accept. */
const trustFailures: ReadonlySet<string> = new Set(["expired", "not_yet_valid", "hostname", "chain"]);

function sslSeen(seen: Json): Partial<Seen> {
  const response = asObject(seen["response"]);
  const leaf = asObject(response?.["certificate"]);
  const reason = trustFailures.has(asText(seen["failureCategory"]) ?? "") ? asText(response?.["chainTrustReason"]) : null;
  return {
    address: asText(response?.["resolvedIp"]),
    port: asNumber(response?.["port"]),
    certificate: response && {
      problem: reason === "trusted" ? null : reason,
      validTo: asText(leaf?.["validTo"]),
      daysLeft: asNumber(leaf?.["daysUntilExpiry"]),
      fingerprint: asText(leaf?.["fingerprint256"]),
      isSubject: true,
    },
  };
}

function tracerouteSeen(seen: Json): Partial<Seen> {
  const response = asObject(seen["response"]);
  if (response === null || !Array.isArray(response["hops"])) return {};
  const refusal = asObject(response["refusal"]);
  const last = response["hops"].findLast((hop) => asText(asObject(hop)?.["address"]) !== null);
  const heard = asObject(last);
  const isReached = response["destinationReached"] === true;
  const said =
    refusal === null
      ? null
      : `hop ${asNumber(refusal["hop"]) ?? "?"} (${asText(refusal["address"]) ?? "unknown"}) says: ${asText(refusal["says"]) ?? ""}`;
  const silence =
    heard === null
      ? "nobody answers on the way"
      : `nobody answers behind hop ${asNumber(heard["hop"]) ?? "?"} (${asText(heard["address"]) ?? "unknown"})`;
  return {
    address: asText(response["resolvedIp"]),
    // It was parsed with the type's schema when it came in; hops are there.
    path: tracedPath(seen as unknown as Parameters<typeof tracedPath>[0]),
    pathEnd: isReached ? null : (said ?? silence),
  };
}

function icmpSeen(seen: Json): Partial<Seen> {
  const response = asObject(seen["response"]);
  return { address: asText(response?.["resolvedIp"]), packetLoss: asNumber(response?.["packetLoss"]) };
}

function scriptSeen(seen: Json): Partial<Seen> {
  const [first] = Array.isArray(seen["errors"]) ? seen["errors"] : [];
  const error = asText(asObject(first)?.["message"]);
  const requests = Array.isArray(seen["requests"]) ? seen["requests"].map(asObject) : [];
  const failed = requests.findLast((one) => asText(one?.["error"]) !== null || (asNumber(one?.["status"]) ?? 0) >= 400);
  const [url, status] = [asText(failed?.["url"]), asNumber(failed?.["status"])];
  const request =
    url === null ? null : `${withoutQuery(url)} ${status === null ? `failed: ${asText(failed?.["error"]) ?? ""}` : `answered ${status}`}`;
  return { script: error === null ? null : { error: oneLine(error, 300), request: request === null ? null : oneLine(request, 300) } };
}

/** Who leads a run has nothing but sentences: what was to be true, and the error that ended it. */
function promptSeen(seen: Json): Partial<Seen> {
  const assertions = Array.isArray(seen["assertions"]) ? seen["assertions"].map(asObject) : [];
  const [first] = Array.isArray(seen["errors"]) ? seen["errors"] : [];
  const error = asText(asObject(first)?.["message"]);
  return {
    failedAssertions: assertions.flatMap((one) => (one?.["passed"] === false ? oneLine(asText(one["condition"]) ?? "", 300) : [])),
    script: error === null ? null : { error: oneLine(error, 300), request: null },
  };
}

function textsOf(texts: unknown): readonly string[] {
  return Array.isArray(texts) ? texts.slice(0, 5).map((text) => oneLine(`${text}`, 300)) : [];
}

function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? "";
}

function assertionsOf(assertions: unknown): readonly string[] {
  if (!Array.isArray(assertions)) return [];
  return assertions.flatMap((one) => asText(asObject(one)?.["error"]) ?? []).map((text) => oneLine(text, 300));
}

function asObject(value: unknown): Json | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

function asText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function asNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
