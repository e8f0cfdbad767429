import type { CheckType, PromptType, ResultOf, SettingsOf, TestedType } from "#contract/checks/index.ts";
import { grpcFindings } from "./grpc-findings.ts";
import { scriptFailure } from "./script-failure.ts";
import { type AttemptToJudge, type Finding, type Measure } from "./verdict.ts";

/** What was seen, as far as rules look at it. */
export interface Seen<T extends CheckType> {
  readonly responseTimeMs: number;
  readonly statusCode: number | null;
  readonly failure: AttemptToJudge["failure"];
  readonly result: ResultOf<T>;
  /** Of a check that judges itself: a script. */
  readonly outcome?: ScriptOutcome | undefined;
}

/** How the tests of a script went. */
export type ScriptOutcome = "passed" | "failed" | "degraded";

type Rules = Pick<AttemptToJudge, "excusesFailure" | "findings" | "measures">;

/** What each check type holds against what it saw, beside assertions (behaviour 2.2 to 2.4). A type without rules does not compile. */
export const checkRules: { readonly [T in CheckType]: (settings: SettingsOf<T>, seen: Seen<T>) => Rules } = {
  API: httpRules,
  URL: httpRules,
  TCP: tcpRules,
  DNS: dnsRules,
  ICMP: icmpRules,
  SSL: sslRules,
  GRPC: grpcRules,
  TRACEROUTE: tracerouteRules,
  MULTI_STEP: scriptRules,
  BROWSER: scriptRules,
  PLAYWRIGHT: scriptRules,
  AGENTIC: promptRules,
};

/** A script judges itself. `shouldFail` turns passed and failed round, never what kept it from being judged. */
function scriptRules(settings: SettingsOf<TestedType>, seen: Seen<TestedType>): Rules {
  const finding = seen.failure === null ? scriptFinding(settings, seen) : null;
  return { excusesFailure: false, findings: finding === null ? [] : [finding], measures: [] };
}

function scriptFinding(
  { shouldFail, flakyIsDegraded }: SettingsOf<TestedType>,
  { outcome, result }: Pick<Seen<TestedType>, "outcome" | "result">,
): Finding | null {
  const told = (otherwise: string): string => scriptFailure(result) ?? otherwise;
  if (outcome === "degraded") return degrading(result.degradedBy?.[0] ?? told("the script marked its check as degraded"));
  if (outcome === "failed") return shouldFail ? null : failing(told("the script failed"));
  if (shouldFail) return failing("expected the script to fail, but it passed");
  const flaky = result.tests.find(({ status }) => status === "flaky");
  return flakyIsDegraded && flaky !== undefined ? degrading(`${flaky.title}: passed only when it was tried again`) : null;
}

/** What a prompt asks for is asserted by whoever carried it out. `shouldFail` turns passed and failed round, never what kept it from being judged. */
function promptRules({ shouldFail }: SettingsOf<PromptType>, { failure, outcome, result }: Seen<PromptType>): Rules {
  const finding = failure === null ? promptFinding(shouldFail, outcome, result) : null;
  return { excusesFailure: false, findings: finding === null ? [] : [finding], measures: [] };
}

function promptFinding(shouldFail: boolean, outcome: ScriptOutcome | undefined, { assertions }: ResultOf<PromptType>): Finding | null {
  if (outcome !== "failed") return shouldFail ? failing("expected the prompt not to come true, but it did") : null;
  if (shouldFail) return null;
  const broken = assertions.find(({ passed }) => !passed);
  if (broken === undefined) return failing("the prompt did not come true");
  const wanted = broken.expected === "" ? "" : `: expected ${broken.expected}`;
  return failing(`${broken.condition}${wanted}, saw ${broken.actual}`.slice(0, 2_000));
}

type SeenHttp = Pick<Seen<"API">, "statusCode" | "responseTimeMs" | "failure">;

interface HttpSettings extends TimeLimits {
  readonly shouldFail: boolean;
  readonly request: { readonly assertions: readonly { readonly source: string }[] };
}

interface TimeLimits {
  readonly degradedResponseTime: number | null;
  readonly maxResponseTime: number | null;
}

/**
 * A status of 400 or more fails, unless the check should fail or a STATUS_CODE assertion judges the status instead. `shouldFail`
 * excuses the status only: failed assertions and missing answers still fail.
 */
function httpRules(settings: HttpSettings, { statusCode, responseTimeMs, failure }: SeenHttp): Rules {
  const judgedByAssertion = settings.request.assertions.some(({ source }) => source === "STATUS_CODE");
  const isBad = failure === null && statusCode !== null && statusCode >= 400 && !settings.shouldFail && !judgedByAssertion;
  return {
    excusesFailure: false,
    findings: isBad ? [failing(`expected a status below 400, got ${statusCode}`)] : [],
    measures: [timeOf(settings, responseTimeMs)],
  };
}

/** What `shouldFail` of a TCP check hopes for; a name that does not resolve or a policy that forbids is neither. */
const closedPortCodes: ReadonlySet<string> = new Set(["ECONNREFUSED", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ECONNRESET"]);

function tcpRules({ shouldFail, ...limits }: SettingsOf<"TCP">, { failure, responseTimeMs, result }: Seen<"TCP">): Rules {
  const excusesFailure = shouldFail && failure !== null && closedPortCodes.has(failure.code);
  const isOpen = shouldFail && failure === null;
  return {
    excusesFailure,
    findings: isOpen ? [failing(`expected the connection to fail, but ${result.request.hostname}:${result.request.port} took it`)] : [],
    measures: excusesFailure ? [] : [timeOf(limits, responseTimeMs)],
  };
}

/** Without a RESPONSE_CODE assertion anything but NOERROR fails (behaviour 2.4). */
function dnsRules({ request, ...limits }: SettingsOf<"DNS">, { failure, responseTimeMs, result }: Seen<"DNS">): Rules {
  const code = result.response?.responseCode;
  const judgedByAssertion = request.assertions.some(({ source }) => source === "RESPONSE_CODE");
  const isBad = failure === null && code !== undefined && code !== "NOERROR" && !judgedByAssertion;
  return {
    excusesFailure: false,
    findings: isBad ? [failing(`expected the response code NOERROR, got ${code}`)] : [],
    measures: [timeOf(limits, responseTimeMs)],
  };
}

/** Loss is judged by its own thresholds; without a single reply there is a failure already. */
function icmpRules(settings: SettingsOf<"ICMP">, { result }: Seen<"ICMP">): Rules {
  const { response } = result;
  const { degradedPacketLossThreshold: degradedAbove, maxPacketLossThreshold: failedAbove } = settings;
  const loss = response === null ? [] : [{ name: "packet loss", value: response.packetLoss, unit: "%", degradedAbove, failedAbove }];
  return { excusesFailure: false, findings: [], measures: loss };
}

/** Where the path does not lead to the target there is a failure already; of one that does, the target's time is judged. */
function tracerouteRules(limits: SettingsOf<"TRACEROUTE">, { failure, responseTimeMs }: Seen<"TRACEROUTE">): Rules {
  return { excusesFailure: false, findings: [], measures: failure === null ? [timeOf(limits, responseTimeMs)] : [] };
}

/**
 * Trust, unless it is not asked for; the host name; revocation and dates in any case; and the baseline's findings by their severity.
 * A leaf or an intermediate that expires within the days that the check names degrades it.
 */
function sslRules({ request, ...limits }: SettingsOf<"SSL">, { responseTimeMs, result }: Seen<"SSL">): Rules {
  const { response } = result;
  const findings = response === null ? [] : [...trustFindings(request.sslConfig, response), ...baselineFindings(response)];
  return { excusesFailure: false, findings, measures: [timeOf(limits, responseTimeMs)] };
}

type SslResponse = NonNullable<ResultOf<"SSL">["response"]>;

function trustFindings(config: SettingsOf<"SSL">["request"]["sslConfig"], response: SslResponse): Finding[] {
  const { daysUntilExpiry: days, intermediateDaysUntilExpiry: between } = response;
  const findings: Finding[] = [];
  if (response.ocspStatus === "revoked") findings.push(failing("the certificate was revoked, says the OCSP response that the server sent"));
  const untrusted = response.chainTrusted === false && (!config.skipChainValidation || response.chainTrustReason === "CERT_NOT_YET_VALID");
  if (days !== undefined && days < 0) findings.push(failing(`the certificate expired ${-days} days ago`));
  else if (untrusted) findings.push(failing(`the chain is not trusted: ${response.chainTrustDetail}`));
  if (response.hostnameVerified === false) findings.push(failing(`the certificate was not issued for ${response.serverName}`));
  if (days !== undefined && days < config.alertDaysBeforeExpiry) findings.push(degrading(`the certificate expires in ${days} days`));
  if (between != null && between < config.alertDaysBeforeExpiry) findings.push(degrading(`an intermediate expires in ${between} days`));
  return findings;
}

function baselineFindings({ securityBaseline }: SslResponse): Finding[] {
  return (securityBaseline?.findings ?? []).flatMap(({ severity, passed, message }) =>
    passed || severity === "ignore" ? [] : [{ severity, message }],
  );
}

/** The status, and in mode HEALTH what the service says of itself. */
function grpcRules({ request, ...limits }: SettingsOf<"GRPC">, { responseTimeMs, result: { response } }: Seen<"GRPC">): Rules {
  const seen = response && {
    statusCode: response.grpcStatusCode,
    statusMessage: response.grpcStatusMessage,
    healthStatus: response.healthStatus,
  };
  return {
    excusesFailure: false,
    findings: seen === null ? [] : grpcFindings(request.assertions, seen),
    measures: [timeOf(limits, responseTimeMs)],
  };
}

function degrading(message: string): Finding {
  return { severity: "degrade", message };
}

function failing(message: string): Finding {
  return { severity: "fail", message };
}

/** Times are compared as stored, rounded to whole milliseconds. */
function timeOf({ degradedResponseTime, maxResponseTime }: TimeLimits, responseTimeMs: number): Measure {
  return {
    name: "response time",
    value: Math.round(responseTimeMs),
    unit: "ms",
    degradedAbove: degradedResponseTime,
    failedAbove: maxResponseTime,
  };
}
