import { DnsRecordType } from "#contract/checks/dns.ts";
import type { AssertionDraft, Importing } from "../imported.ts";
import { timeLimits } from "../limits.ts";
import { fieldsOf, otherFields, textOf, textsOf } from "../yaml-text.ts";
import { hostAndPort, tellOthers, tlsFields } from "./module-fields.ts";
import type { ProbeModule, Prober } from "./prober.ts";

/** Response codes by their numbers (RFC 6895). */
const responseCodes = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];

const known = [
  "query_name",
  "query_type",
  "transport_protocol",
  "dns_over_tls",
  "valid_rcodes",
  "validate_answer_rrs",
  "tls_config",
  "preferred_ip_protocol",
  "ip_protocol_fallback",
];

/** A DNS monitor that asks the target, which is a name server. */
export const dnsCheckOf: Prober = (importing, module, target, where) => {
  const { settings } = module;
  tellOthers(importing, module, known);
  const server = hostAndPort(target);
  const recordType = DnsRecordType.safeParse((textOf(settings["query_type"]) ?? "ANY").toUpperCase());
  if (server === undefined) {
    importing.warn(where, "left out: a target of the dns prober is host or host:port of a name server");
    return undefined;
  }
  if (!recordType.success) {
    importing.warn(`${module.where}.query_type`, `left out: a check asks for one of ${DnsRecordType.options.join(", ")}`);
    return undefined;
  }
  const overTls = settings["dns_over_tls"] === true;
  const { skipSSL } = tlsFields(importing, module);
  return {
    checkType: "DNS",
    request: {
      query: (textOf(settings["query_name"]) ?? "").replace(/(.)\.$/, "$1"),
      recordType: recordType.data,
      nameServer: server.host,
      ...(server.port !== undefined && { port: server.port }),
      protocol: overTls ? "DOT" : settings["transport_protocol"] === "tcp" ? "TCP" : "UDP",
      ...(skipSSL && { skipSSL }),
      assertions: [...codeAssertions(importing, module), ...answerAssertions(importing, module)],
    },
    ...timeLimits(importing, `modules.${module.name}.timeout`, "DNS", module.timeoutMs),
  };
};

function codeAssertions(importing: Importing, { settings, where }: ProbeModule): AssertionDraft[] {
  const codes = textsOf(settings["valid_rcodes"]).map((code) => code.toUpperCase());
  if (codes.length <= 1) return [{ source: "RESPONSE_CODE", comparison: "EQUALS", target: codes[0] ?? "NOERROR" }];
  const numbers = codes.map((code) => responseCodes.indexOf(code));
  if (numbers.includes(-1)) importing.warn(`${where}.valid_rcodes`, `only these are known: ${responseCodes.join(", ")}`);
  const anyOf = numbers.filter((number) => number >= 0).map((number) => `$.Status == ${number}`);
  // A check compares with one code: several are a condition on the answer. Naming the code at all lets others than NOERROR pass.
  return [
    { source: "RESPONSE_CODE", comparison: "NOT_EMPTY" },
    { source: "JSON_ANSWER", property: `$[?${anyOf.join(" || ")}]`, comparison: "NOT_EQUALS", target: "no response code" },
  ];
}

/** Rules on records, each a line of the answer as text. */
function answerAssertions(importing: Importing, { settings, where }: ProbeModule): AssertionDraft[] {
  const rules = fieldsOf(settings["validate_answer_rrs"]);
  const of = (name: string): string[] => textsOf(rules[name]).map(inLine);
  for (const field of otherFields(rules, Object.keys(recordRules)))
    importing.warn(`${where}.validate_answer_rrs.${field}`, "left out: not known");
  return Object.entries(recordRules).flatMap(([name, assertionsOf]) => assertionsOf(of(name)));
}

const recordRules: Readonly<Record<string, (patterns: readonly string[]) => AssertionDraft[]>> = {
  fail_if_matches_regexp: (patterns) => patterns.map((pattern) => answer(`(?m)(${pattern})`, "IS_NULL")),
  fail_if_not_matches_regexp: (patterns) => patterns.map((pattern) => answer(everyLine(pattern), "NOT_NULL")),
  fail_if_all_match_regexp: (patterns) => patterns.map((pattern) => answer(everyLine(pattern), "IS_NULL")),
  fail_if_none_matches_regexp: (patterns) =>
    patterns.length === 0 ? [] : [answer(`(?m)(${patterns.map((pattern) => `(?:${pattern})`).join("|")})`, "NOT_NULL")],
};

function everyLine(pattern: string): string {
  return `(?m)(\\A(?:^.*(?:${pattern}).*$\\n?)+\\z)`;
}

/** The exporter writes one tab between the columns of a record, and our text as many as dig. */
function inLine(regexp: string): string {
  return regexp.replaceAll("\\t", "\\t+").replaceAll("\t", "\\t+");
}

function answer(property: string, comparison: AssertionDraft["comparison"]): AssertionDraft {
  return { source: "TEXT_ANSWER", property, comparison };
}
