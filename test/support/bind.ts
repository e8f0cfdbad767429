import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Certificates, makeCertificates } from "./certificates.ts";
import { freePorts } from "./free-ports.ts";

const namedPath = "/usr/sbin/named";

/** Why tests with BIND cannot run here, or null. */
export const noBind: string | null = existsSync(namedPath) ? null : `${namedPath} is not installed`;

/** A real name server with `zone` under `example.test` and `168.192.in-addr.arpa`; it does not recurse. */
export interface Bind extends AsyncDisposable {
  /** UDP and TCP, 127.0.0.1 and ::1. */
  readonly port: number;
  readonly tlsPort: number;
  readonly httpsPort: number;
  readonly certificates: Certificates;
}

/** Every record type that DNS monitors ask for, and what is hard to read. */
export const zone = String.raw`$TTL 300
@ IN SOA ns1.example.test. host\.master.example.test. 2024010101 3600 900 604800 60
@ IN NS ns1
@ IN NS ns2
@ IN MX 10 mail
@ IN MX 20 backup.example.net.
@ IN TXT "v=spf1 -all" "second \"quoted\" \\ text" "" "umlaut \195\164 and ; semicolon"
@ IN CAA 0 issue "ca.example.net; account=12"
@ IN CAA 128 iodef "mailto:security@example.test"
@ IN HTTPS 1 . alpn="h2,h3" port=8443 ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1 ech="AEn+DQBF"
@ IN HTTPS 2 alt.example.test. mandatory=alpn,port alpn="h2" no-default-alpn port=443 key65333="x\"y"
ns1 IN A 127.0.0.1
ns2 60 IN A 127.0.0.2
www IN A 192.0.2.80
www IN A 192.0.2.81
www IN AAAA 2001:db8:0:0:1:0:0:1
mapped IN AAAA ::ffff:192.0.2.1
zeros IN AAAA ::
alias IN CNAME www
away IN CNAME elsewhere.example.net.
chain1 IN CNAME chain2
chain2 IN CNAME chain3
chain3 IN CNAME www
loop1 IN CNAME loop2
loop2 IN CNAME loop1
_sip._tcp IN SRV 10 60 5060 sip
naptr IN NAPTR 100 10 "u" "E2U+sip" "!^.*$!sip:info@example.test!" .
naptr IN NAPTR 102 10 "" "" "" target.example.test.
_443._tcp IN TLSA 3 1 1 0d6fce3adbdb1b1d5b1f9c1f4d9a8e0b0d6fce3adbdb1b1d5b1f9c1f4d9a8e0b
_dns IN SVCB 1 dns.example.test. alpn=dot,h2 port=853 dohpath="/dns-query{?dns}"
odd\.dot\ space\(x\) IN A 192.0.2.90
a-very-long-label-that-goes-beyond-the-first-column IN A 192.0.2.91
ds IN DS 12345 13 2 49fd46e6c4b45c55d4ac49fd46e6c4b45c55d4ac49fd46e6c4b45c55d4ac0123
ds IN NS ns1
unknown IN TYPE65280 \# 4 0a000001
${Array.from({ length: 40 }, (_, index) => `many IN A 192.0.2.${index + 1}`).join("\n")}
${Array.from({ length: 2 }, (_, index) => `many IN TXT "${String(index).repeat(200)}"`).join("\n")}
${Array.from({ length: 200 }, (_, index) => `two-hundred IN A 10.0.${Math.floor(index / 100)}.${index % 100}`).join("\n")}
${Array.from({ length: 240 }, (_, index) => `huge IN TXT "${String(index).padStart(255, "x")}"`).join("\n")}
`;

const reverseZone = `$TTL 300
@ IN SOA ns1.example.test. hostmaster.example.test. 1 3600 900 604800 60
@ IN NS ns1.example.test.
7.1 IN PTR printer.example.test.
`;

/** Started in a folder of its own, stopped by its process id. */
export async function startBind(): Promise<Bind> {
  const certificates = makeCertificates();
  const folder = mkdtempSync(join(tmpdir(), "named-"));
  const [port = 0, tlsPort = 0, httpsPort = 0] = await freePorts(3);
  const files = {
    "example.zone": zone,
    "reverse.zone": reverseZone,
    "named.conf": configuration(folder, { port, tlsPort, httpsPort }, certificates.folder),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const child = spawn(namedPath, ["-g", "-n", "1", "-c", join(folder, "named.conf")], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  const { promise: running, resolve: runs } = Promise.withResolvers<void>();
  child.stderr.on("data", (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-20_000);
    if (/ running$/m.test(log)) runs();
  });
  const exited = once(child, "exit");
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
    rmSync(folder, { recursive: true, force: true });
    certificates[Symbol.dispose]();
  };
  try {
    await Promise.race([running, exited.then(() => Promise.reject(new Error("it ended")))]);
    if (/not loaded due to errors/.test(log)) throw new Error("a zone is wrong");
  } catch (cause) {
    await stop();
    throw new Error(`named does not serve:\n${log}`, { cause });
  }
  return { port, tlsPort, httpsPort, certificates, [Symbol.asyncDispose]: stop };
}

function configuration(folder: string, ports: Pick<Bind, "port" | "tlsPort" | "httpsPort">, keys: string): string {
  const { port, tlsPort, httpsPort } = ports;
  return `options { directory "${folder}"; pid-file none; session-keyfile none; recursion no; notify no; dnssec-validation no;
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 port ${port} { ::1; };
  listen-on port ${tlsPort} tls own { 127.0.0.1; };
  listen-on port ${httpsPort} tls own http default { 127.0.0.1; }; server-id "bind-of-a-test"; };
controls { };
tls own { cert-file "${keys}/good.pem"; key-file "${keys}/good.key"; };
zone "example.test" { type primary; file "example.zone"; check-names ignore; max-records-per-type 0; };
zone "168.192.in-addr.arpa" { type primary; file "reverse.zone"; };\n`;
}
