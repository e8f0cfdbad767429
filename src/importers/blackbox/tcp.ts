import type { AssertionDraft, Importing } from "../imported.ts";
import { timeLimits } from "../limits.ts";
import { type Fields, isFields, listOf, otherFields, textOf } from "../yaml-text.ts";
import { hostAndPort, ipFamilyOf, tellOthers, tlsFields } from "./module-fields.ts";
import type { ProbeModule, Prober } from "./prober.ts";

const startTlsByPort: Readonly<Record<number, string>> = {
  25: "smtp",
  587: "smtp",
  2525: "smtp",
  143: "imap",
  110: "pop3",
  389: "ldap",
  5432: "postgres",
};

/** A TCP check. A dialogue is kept as far as one goes: what is sent first, then what must come. */
export const tcpCheckOf: Prober = (importing, module, target, where) => {
  const { settings } = module;
  tellOthers(importing, module, ["query_response", "tls", "tls_config", "preferred_ip_protocol", "ip_protocol_fallback"]);
  const address = hostAndPort(target.replace(/^tcp:\/\//i, ""));
  if (address?.port === undefined) {
    importing.warn(where, "left out: a TCP target is host:port");
    return undefined;
  }
  return {
    checkType: "TCP",
    request: {
      hostname: address.host,
      port: address.port,
      ...(settings["tls"] === true && { tls: true }),
      ...tlsFields(importing, module),
      ...ipFamilyOf(settings),
      ...dialogue(importing, module, address.port),
    },
    ...timeLimits(importing, `modules.${module.name}.timeout`, "TCP", module.timeoutMs),
  };
};

function dialogue(importing: Importing, { settings, where }: ProbeModule, port: number): object {
  const steps = listOf(settings["query_response"]).filter(isFields);
  for (const [index, step] of steps.entries()) {
    for (const field of otherFields(step, ["send", "expect", "starttls"])) {
      importing.warn(`${where}.query_response[${index}].${field}`, "left out: not known");
    }
  }
  if (steps.some((step) => step["starttls"] === true)) return startTls(importing, where, port);
  const { sent, expect, isWhole } = firstExchange(steps);
  if (!isWhole) {
    importing.warn(`${where}.query_response`, "a check sends once and then reads: what follows the first answer is left out");
  }
  const assertion: AssertionDraft = { source: "RESPONSE_DATA", property: `(${expect})`, comparison: "NOT_EMPTY" };
  return { ...(sent !== "" && { data: sent }), ...(expect !== undefined && { expect, assertions: [assertion] }) };
}

/** What is sent before the first answer, and what that must match. Of one step, the prober expects first and sends then. */
function firstExchange(steps: readonly Fields[]): {
  readonly sent: string;
  readonly expect: string | undefined;
  readonly isWhole: boolean;
} {
  const answered = steps.findIndex((step) => textOf(step["expect"]) !== undefined);
  const before = answered < 0 ? steps : steps.slice(0, answered);
  const answer = steps[answered];
  return {
    sent: before
      .flatMap((step) => textOf(step["send"]) ?? [])
      .map((line) => `${line}\n`)
      .join(""),
    expect: textOf(answer?.["expect"]),
    isWhole: answer === undefined || (answered === steps.length - 1 && textOf(answer["send"]) === undefined),
  };
}

function startTls(importing: Importing, where: string, port: number): object {
  const protocol = startTlsByPort[port];
  importing.warn(
    `${where}.query_response`,
    protocol === undefined
      ? "its STARTTLS is left out: the port tells no protocol (smtp, imap, pop3, ldap, postgres)"
      : `becomes STARTTLS of ${protocol}, as the port says; its own texts are left out`,
  );
  return protocol === undefined ? {} : { startTls: protocol };
}
