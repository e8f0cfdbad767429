import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "mqtt-packet";
import { afterAll, describe, expect, it } from "vitest";
import { makeCertificates } from "../support/certificates.ts";
import { freePort } from "../support/free-ports.ts";
import { untilListening } from "../support/listening.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "./control-plane-under-test.ts";

const certificates = makeCertificates();
afterAll(() => certificates[Symbol.dispose]());
const samples = "docs/operations/proxies";

interface Proxy {
  readonly name: string;
  readonly program: string;
  readonly sample: string;
  /** The sample with what this machine has, and its command line. */
  readonly prepared: (
    sample: string,
    folder: string,
    port: number,
  ) => { readonly files: Readonly<Record<string, string>>; readonly words: readonly string[] };
}

const proxies: readonly Proxy[] = [
  {
    name: "nginx",
    program: "/usr/sbin/nginx",
    sample: "nginx.conf",
    prepared: (sample, folder, port) => {
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((one) => `${one}_temp_path ${folder}/${one};`).join(" ");
      const server = sample.replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`);
      const whole = `daemon off; master_process off; pid ${folder}/nginx.pid; events {} http { access_log off; ${temporary}\n${server}\n}`;
      return { files: { "nginx.conf": whole }, words: ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")] };
    },
  },
  {
    name: "HAProxy",
    program: "/usr/sbin/haproxy",
    sample: "haproxy.cfg",
    prepared: (sample, folder, port) => ({
      files: { "haproxy.cfg": sample.replace("bind :443", `bind 127.0.0.1:${port}`) },
      words: ["-db", "-f", join(folder, "haproxy.cfg")],
    }),
  },
  {
    name: "Caddy",
    program: "/usr/bin/caddy",
    sample: "Caddyfile",
    prepared: (sample, folder, port) => ({
      files: {
        Caddyfile: `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${folder}\n}\n${sample.replace("outpost.example.com {", `https://localhost:${port} {\n\tbind 127.0.0.1`)}`,
      },
      words: ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")],
    }),
  },
  {
    name: "Traefik",
    program: "/usr/local/bin/traefik", // Debian has none
    sample: "traefik.yaml",
    prepared: (sample, folder, port) => {
      const [, words = ""] = /^# {3}traefik (.*)$/m.exec(sample) ?? [];
      return {
        files: { "outpost.yaml": sample.replace("outpost.example.com", "localhost") },
        words: words.replace("address=:443", `address=127.0.0.1:${port}`).replace("/etc/traefik", folder).split(" "),
      };
    },
  },
];

/** The proxy as the sample sets it up, in front of the control plane. */
async function inFront({ program, sample, prepared }: Proxy, site: ControlPlaneUnderTest) {
  const folder = mkdtempSync(join(tmpdir(), "proxy-"));
  const port = await freePort();
  const { cert, key } = certificates.pair("good");
  for (const [name, text] of Object.entries({ "tls.crt": cert, "tls.key": key, "tls.pem": `${cert}\n${key}` }))
    writeFileSync(join(folder, name), text);
  const text = readFileSync(join(samples, sample), "utf8")
    .replaceAll("/etc/ssl/outpost", folder)
    .replaceAll("127.0.0.1:3000", new URL(site.base).host);
  const { files, words } = prepared(text, folder, port);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const child = spawn(program, words, { stdio: "ignore", env: { PATH: process.env["PATH"], HOME: folder } });
  const exited = once(child, "exit");
  await untilListening(port);
  await eventually(() => isServed(port)); // Traefik listens before it knows its routes
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const isServed = (port: number): Promise<boolean> =>
  ask(port, "/sign-in").then(
    ({ status }) => status === 200,
    () => false,
  );

/** Another address than the proxy has for the control plane. */
const from = "127.0.0.2";

interface Reply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

function ask(
  port: number,
  path: string,
  { method = "GET", headers = {}, body = "" }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const asked = request(
    {
      host: "127.0.0.1",
      servername: "localhost",
      localAddress: from,
      port,
      path,
      method,
      ca: certificates.ca,
      headers: { host: "localhost", ...headers },
    },
    (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    },
  );
  asked.once("error", reject).end(body);
  return promise;
}

/** What a WebSocket at `/mqtt` answers to a message of less than 126 bytes. */
function upgraded(port: number, message: Buffer): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const headers = {
    host: "localhost",
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-protocol": "mqtt",
  };
  const asked = request({
    host: "127.0.0.1",
    servername: "localhost",
    localAddress: from,
    port,
    path: "/mqtt",
    ca: certificates.ca,
    headers,
  });
  asked.once("error", reject).once("response", ({ statusCode }) => reject(new Error(`no WebSocket: ${statusCode}`)));
  asked.once("upgrade", (_response, socket, head) => {
    const answer = (frame: Buffer): void => {
      resolve(frame.subarray(2, 2 + (frame[1] ?? 0)));
      socket.destroy();
    };
    if (head.length > 0) answer(head);
    else socket.once("data", answer);
    socket.write(Buffer.concat([Buffer.from([0x82, 0x80 | message.length, 0, 0, 0, 0]), message])); // binary, under a mask of zeros
  });
  asked.end();
  return promise;
}

const connectPacket = generate({
  cmd: "connect",
  protocolId: "MQTT",
  protocolVersion: 4,
  clean: true,
  clientId: "a",
  username: "a",
  password: Buffer.from("b"),
});

describe.each(proxies)("the sample for $name", (proxy) => {
  const missing = existsSync(proxy.program) ? null : `${proxy.program} is not installed`;
  if (missing !== null) process.stdout.write(`the sample for ${proxy.name} is not tried: ${missing}\n`);

  it.skipIf(missing !== null)(
    "lets through what people, programs and agents send, and says who they are",
    { timeout: 60_000 },
    async () => {
      await using site = await controlPlaneUnderTest({ TRUSTED_PROXIES: "127.0.0.1", PUBLIC_URL: "https://outpost.example.com" });
      await using front = await inFront(proxy, site);
      const page = await ask(front.port, "/sign-in");
      expect(page).toMatchObject({ status: 200, headers: { "strict-transport-security": "max-age=31536000" } });

      const authorization = `Bearer ${site.ownerKey}`;
      const json = { authorization, "content-type": "application/json" };
      const made = await ask(front.port, "/v1/snippets", {
        method: "POST",
        headers: json,
        body: JSON.stringify({ name: "from afar", script: "1;" }),
      });
      expect(made.status).toBe(201);
      const log = await ask(front.port, "/v1/audit-log", { headers: { authorization } });
      expect(log.text).toContain(from); // who asked, and not the proxy

      const large = await ask(front.port, "/next/checkly-storage/upload-code-bundle", {
        method: "POST",
        headers: { authorization, "content-type": "application/octet-stream" },
        body: Buffer.alloc(20 * 1_048_576),
      });
      expect(large.status).toBe(400); // it arrived, and is no archive
      expect(large.text).toContain('"statusCode":400');
      expect(await upgraded(front.port, connectPacket)).toEqual(Buffer.from([0x20, 2, 0, 4])); // CONNACK: no such key
    },
  );
});
