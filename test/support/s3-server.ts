import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noProxies } from "#daemon/proxy.ts";
import { createS3Client } from "../../src/control-plane/blob-store/s3-client.ts";
import { Secret } from "../../src/daemon/secret.ts";
import { toolsFolder } from "./chart-tools.ts";
import { freePort } from "./free-ports.ts";

/** A real S3-compatible server on loopback, with one empty bucket. */
export interface S3Server extends AsyncDisposable {
  readonly endpoint: string;
  /** Settings of a control plane that uses it. */
  readonly env: Readonly<Record<string, string>>;
  readonly settings: Parameters<typeof createS3Client>[0];
}

const bucket = "outpost-test";
const accessKeyId = "test-key-id";
const secret = "test-secret-of-the-s3-server";

/** The version that `.ci/s3-server` builds. */
function program(): string {
  const versions = readFileSync(join(import.meta.dirname, "../../.ci/s3-server.versions"), "utf8");
  const version = /^VERSITYGW=(\S+)$/m.exec(versions)?.[1];
  if (version === undefined) throw new Error(".ci/s3-server.versions does not name a version of versitygw");
  return join(toolsFolder(), `versitygw-${version}`, "versitygw");
}

/** Whether tests with an S3 server can run; why not is printed once. */
export function hasS3Server(): boolean {
  const path = program();
  if (existsSync(path)) return true;
  process.stdout.write(`Tests with an S3 server are skipped: ${path} is not there. Run .ci/s3-server (needs Go) to build it.\n`);
  return false;
}

export async function startS3Server(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "outpost-s3-"));
  const port = await freePort();
  const args = ["--port", `127.0.0.1:${port}`, "--access", accessKeyId, "--secret", secret, "--quiet", "posix", "--sidecar"];
  const folders = ["sidecar", "data"].map((name) => mkdtempSync(join(folder, name)));
  const child: ChildProcess = spawn(program(), [...args, ...folders], { stdio: "ignore", env: { PATH: "/usr/bin:/bin" } });
  const endpoint = `http://127.0.0.1:${port}`;
  const settings = {
    endpoint: new URL(endpoint),
    bucket,
    region: "us-east-1",
    accessKeyId,
    secretAccessKey: new Secret(secret),
    pathStyle: true,
  };
  await makeBucket(settings, child);
  return {
    endpoint,
    settings,
    env: {
      ARTIFACT_STORE: "s3",
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secret,
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Asks until the server is there. */
async function makeBucket(settings: S3Server["settings"], child: ChildProcess): Promise<void> {
  const client = createS3Client(settings, noProxies, Date.now);
  const endMs = performance.now() + 20_000;
  for (;;) {
    const status = await client.send({ method: "PUT", key: "" }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200 || status === 409) return;
    if (child.exitCode !== null || performance.now() > endMs)
      throw new Error(`the S3 server did not make a bucket (${status}, ${child.exitCode})`);
  }
}
