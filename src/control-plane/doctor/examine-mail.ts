import { type MailTrial, type SmtpSettings, tryMailServer } from "../mail/deliver-mail.ts";
import { createEgress } from "../outgoing/egress.ts";
import type { Examined, Finding } from "./finding.ts";

const about = "mail";
const limits = { connectMs: 10_000, idleMs: 10_000, wholeMs: 20_000 };

/** Whether the mail server takes a connection, encrypts and lets us in; no mail is sent. */
export async function examineMail(smtp: SmtpSettings | null, signal: AbortSignal): Promise<Examined> {
  if (smtp === null)
    return { findings: [{ about, verdict: "ok", text: "no mail server is set (SMTP_URL): nobody gets a mail, all else works" }] };
  const egress = createEgress({ mode: "default", allowCidrs: [] });
  return { findings: [findingOf(smtp, await tryMailServer({ smtp, egress, limits }, signal))] };
}

function findingOf({ host, port, tls, auth }: SmtpSettings, trial: MailTrial): Finding {
  const server = `the mail server ${host}:${port}`;
  if (!trial.ok) return { about, verdict: "fail", ...failures[trial.step](server, trial.text) };
  const login = auth === null ? "answers (no login is set)" : "answers and accepts user and password";
  if (tls !== "off") return { about, verdict: "ok", text: `${server} ${login}` };
  const next = "set SMTP_TLS=auto or required, unless the whole way is yours";
  return { about, verdict: "warn", text: `${server} ${login}; mails go there unencrypted (SMTP_TLS=off)`, next };
}

type Step = Exclude<MailTrial, { readonly ok: true }>["step"];

const failures: Readonly<Record<Step, (server: string, reason: string) => { readonly text: string; readonly next: string }>> = {
  connection: (server, reason) => ({
    text: `${server} cannot be reached (${reason})`,
    next: "check host and port of SMTP_URL, and the firewall; behind an HTTP proxy set SMTP_PROXY, which must allow this port",
  }),
  encryption: (server, reason) => ({
    text: `no encryption with ${server} (${reason})`,
    next: "smtps:// is for ports that speak TLS from the first byte (465), smtp:// for STARTTLS (587); a private CA is named by NODE_EXTRA_CA_CERTS, SMTP_TLS=unverified takes any certificate",
  }),
  login: (server, reason) => ({
    text: `${server} refuses the login (${reason})`,
    next: "correct user and password in SMTP_URL; special characters are percent-encoded; some providers want a password of its own for programs",
  }),
  talk: (server, reason) => ({
    text: `${server} does not answer as one (${reason})`,
    next: "see what listens there, and whether it lets this address in",
  }),
};
