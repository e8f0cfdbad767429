import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Allowance, type Canary, hostCanary, issuedCanary, plainCanary, wildCanary } from "./canary.ts";

/** Sealed; whoever may write channels reads addresses and what is not locked (record 20). */
const inChannels: Allowance = { readBy: { writers: /\/(alert-channels|channels|checks)/ } };
/** The address of a heartbeat is its token: those who may write read it. */
export const inHeartbeats: Allowance = { readBy: { writers: /\/checks/ } };

export type Canaries = ReturnType<typeof makeCanaries>;

/** One for each place where a user or an operator may give a secret. */
export function makeCanaries() {
  return {
    pepper: plainCanary("KEY_PEPPER"),
    encryptionKey: issuedCanary("ENCRYPTION_KEY", randomBytes(32).toString("hex")),
    databasePassword: plainCanary("password in DATABASE_URL"),
    managementProxy: wildCanary("password in HTTP_PROXY"),
    jobProxy: wildCanary("password in proxyUrl"),
    agentVariable: wildCanary("SERVICE_SECRET_*"),
    agentName: plainCanary("SERVICE_SECRET_* of letters"),
    agentHost: hostCanary("SERVICE_SECRET_* that is a host"),
    agentFile: wildCanary("file in SECRETS_DIR"),
    accountSecret: wildCanary("secret variable of the account"),
    accountLocked: wildCanary("locked variable of the account"),
    hostName: hostCanary("secret name of a host"),
    groupSecret: wildCanary("secret variable of the group"),
    groupLocked: wildCanary("locked variable of the group"),
    groupHeader: wildCanary("locked header of the group"),
    checkSecret: wildCanary("secret variable of a check"),
    checkLocked: wildCanary("locked variable of a check"),
    testSecret: wildCanary("secret variable of a test session"),
    testLocked: wildCanary("locked variable of a test session"),
    madeByScript: wildCanary("SERVICE_SECRET_* that a script made"),
    lockedHeader: wildCanary("locked header"),
    lockedParameter: wildCanary("locked parameter"),
    authorization: wildCanary("Authorization"),
    cookie: wildCanary("Cookie"),
    apiKeyHeader: wildCanary("X-Api-Key"),
    basicPassword: wildCanary("basic auth"),
    urlPassword: plainCanary("password in a URL"),
    setCookie: plainCanary("Set-Cookie"),
    passphrase: wildCanary("passphrase of a private key"),
    slackUrl: plainCanary("address of a Slack channel", inChannels),
    webhookUrl: plainCanary("address of a webhook", inChannels),
    webhookHeader: wildCanary("header of a webhook", inChannels),
    webhookLocked: wildCanary("locked header of a webhook"),
    webhookSecret: wildCanary("secret of a webhook"),
    pagerduty: wildCanary("key of PagerDuty", { sentTo: /\/v2\/enqueue/ }),
    smtpPassword: plainCanary("password of the mail server"),
    twilioToken: plainCanary("token of Twilio"),
    slackBot: plainCanary("token of the Slack app"),
    ownerPassword: plainCanary("password of a person"),
    readerPassword: plainCanary("password of a person who reads"),
    opsgenie: wildCanary("key of Opsgenie"),
  } as const satisfies Readonly<Record<string, Canary>>;
}

/** A private key that only its passphrase opens, with its certificate; and the canary that it is itself. */
export function makeClientCertificate(passphrase: string): { readonly cert: string; readonly key: string; readonly canary: Canary } {
  const folder = mkdtempSync(join(tmpdir(), "client-certificate-"));
  try {
    const openssl = (...args: string[]): void => void execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "plain.key");
    openssl("req", "-x509", "-key", "plain.key", "-days", "30", "-subj", "/CN=canary", "-out", "cert.pem");
    openssl("pkcs8", "-topk8", "-in", "plain.key", "-passout", `pass:${passphrase}`, "-out", "sealed.key");
    const [cert, key] = ["cert.pem", "sealed.key"].map((file) => readFileSync(join(folder, file), "utf8")) as [string, string];
    const pieces = key.split("\n").filter((line) => line.length > 20 && !line.startsWith("-"));
    return { cert, key, canary: { name: "private key of a client certificate", value: key, pieces } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A server's certificate whose names hold secrets. */
export function makeTellingCertificate(text: string, host: string): { readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), "telling-certificate-"));
  try {
    const subject = `/CN=${text}/O=${text}/OU=${Buffer.from(text).toString("base64")}`;
    const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "server.key"];
    const args = ["req", "-x509", ...newKey, "-out", "server.pem", "-days", "30", "-subj", subject, "-addext"];
    execFileSync("openssl", [...args, `subjectAltName=DNS:${host}.example.test,DNS:${text}.example.test`], { cwd: folder, stdio: "pipe" });
    return { cert: readFileSync(join(folder, "server.pem"), "utf8"), key: readFileSync(join(folder, "server.key"), "utf8") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
