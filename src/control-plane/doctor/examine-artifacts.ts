import { randomUUID } from "node:crypto";
import type { ProxySettings } from "#daemon/proxy.ts";
import { AppError } from "#domain/app-error.ts";
import type { ArtifactStoreSettings } from "../blob-store/open-blob-store.ts";
import { createS3Client, type S3Answer, type S3Client, type S3Settings } from "../blob-store/s3-client.ts";
import type { Examined, Finding } from "./finding.ts";

const about = "artifacts";

/** Whether the place of large files takes one and lets it go again. A folder is part of the data folder. */
export async function examineArtifacts(store: ArtifactStoreSettings, proxies: ProxySettings): Promise<Examined> {
  if (store.kind === "off") return { findings: [{ about, verdict: "ok", text: "none are kept (ARTIFACT_STORE is off)" }] };
  if (store.kind === "folder") return { findings: [{ about, verdict: "ok", text: "they are kept in the data folder, below blobs" }] };
  return { findings: [await examineBucket(store.s3, createS3Client(store.s3, proxies, Date.now))] };
}

async function examineBucket(settings: S3Settings, client: S3Client): Promise<Finding> {
  const key = `artifacts/doctor-${randomUUID()}`;
  try {
    const put = await client.send({ method: "PUT", key, text: "outpost doctor" });
    if (put.status !== 200) return refused(settings, put, "written");
    const got = await client.send({ method: "GET", key }).catch(async (error: unknown) => {
      await client.send({ method: "DELETE", key });
      throw error;
    });
    const removed = await client.send({ method: "DELETE", key });
    if (got.status !== 200) return refused(settings, got, "read");
    if (removed.status >= 300) return refused(settings, removed, "deleted");
    return { about, verdict: "ok", text: `the bucket ${settings.bucket} takes objects, shows them and deletes them` };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const next = "check S3_ENDPOINT, the firewall, HTTPS_PROXY and NO_PROXY; a private CA is named by NODE_EXTRA_CA_CERTS";
    return { about, verdict: "fail", text: `${settings.endpoint.host}: ${error.message}`, next };
  }
}

const unknownKey = ["the access key is unknown", "correct S3_ACCESS_KEY_ID"] as const;

const known: Readonly<Record<string, readonly [text: string, next: string]>> = {
  NoSuchBucket: ["there is no such bucket", "make it, or correct S3_BUCKET, S3_REGION and S3_PATH_STYLE"],
  InvalidAccessKeyId: unknownKey,
  XAdminUserNotFound: unknownKey, // versitygw's
  SignatureDoesNotMatch: [
    "the secret is not that of the access key",
    "correct S3_SECRET_ACCESS_KEY; a proxy must not change the Host header",
  ],
  RequestTimeTooSkewed: ["this machine's clock is wrong", "start a time service (chrony, systemd-timesyncd)"],
  AccessDenied: ["the access key may not do it", "allow it to get, put and delete objects of the bucket"],
};

function refused({ bucket }: S3Settings, { status, text }: S3Answer, what: string): Finding {
  const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(text)?.[1] ?? "";
  const [because, next] = known[code] ?? ["it is refused", "look at the log of the S3 store; S3_ENDPOINT must be its address"];
  return { about, verdict: "fail", text: `an object of ${bucket} cannot be ${what}: ${because} (${`${status} ${code}`.trimEnd()})`, next };
}
