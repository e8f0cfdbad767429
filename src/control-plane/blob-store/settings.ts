import { z } from "zod";
import { Switch } from "#daemon/env.ts";
import { Secret } from "#daemon/secret.ts";
import { SecretFile } from "#daemon/secret-file.ts";
import type { ArtifactStoreSettings } from "./open-blob-store.ts";

const SecretKey = z
  .string()
  .trim()
  .min(1)
  .transform((text) => new Secret(text));

/** The part of the control plane's environment that says where files of results are kept. */
export const artifactEnv = {
  ARTIFACT_STORE: z
    .enum(["folder", "s3", "off"], "must be folder, s3 or off")
    .default("folder")
    .describe(
      "where large result files are stored: folder (DATA_DIR/blobs, for one process), s3 (any S3-compatible store, for any number of processes) or off",
    ),
  S3_ENDPOINT: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .refine((text) => !/[@?#]/.test(text), "must have no user, query or fragment; the key belongs into S3_ACCESS_KEY_ID")
    .optional()
    .describe("base URL of the S3 store; AWS in S3_REGION if not set"),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens")
    .optional()
    .describe("an existing bucket; names of its objects start with artifacts/"),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, "must be the name of a region, such as eu-central-1")
    .default("us-east-1")
    .describe("region in the signature of requests"),
  S3_ACCESS_KEY_ID: z
    .string()
    .trim()
    .regex(/^[\w.@+=/-]{1,128}$/, "must be an access key id")
    .optional()
    .describe("access key that can read, write and delete objects of the bucket"),
  S3_SECRET_ACCESS_KEY: z.string().pipe(SecretKey).optional().describe("secret of the access key"),
  S3_SECRET_ACCESS_KEY_FILE: SecretFile.pipe(SecretKey).optional().describe("file with this secret, instead of S3_SECRET_ACCESS_KEY"),
  S3_PATH_STYLE: Switch.default(true).describe("on: the bucket is in the path; off: it is part of the host name"),
} as const;

type ArtifactEnv = z.output<z.ZodObject<typeof artifactEnv>>;

/** One sentence for each variable that `ARTIFACT_STORE=s3` lacks, or that is there twice. */
export function artifactProblems(env: ArtifactEnv): readonly { readonly name: string; readonly message: string }[] {
  const both = env.S3_SECRET_ACCESS_KEY !== undefined && env.S3_SECRET_ACCESS_KEY_FILE !== undefined;
  const twice = both ? [{ name: "S3_SECRET_ACCESS_KEY_FILE", message: "and S3_SECRET_ACCESS_KEY are both set; keep one of the two" }] : [];
  if (env.ARTIFACT_STORE !== "s3") return twice;
  const missing = [
    ...(["S3_BUCKET", "S3_ACCESS_KEY_ID"] as const).filter((name) => env[name] === undefined),
    ...(secretOf(env) === undefined ? ["S3_SECRET_ACCESS_KEY"] : []),
  ];
  return [...twice, ...missing.map((name) => ({ name, message: "is required where ARTIFACT_STORE is s3" }))];
}

/** @param env without any of the problems above */
export function artifactStoreSettings(env: ArtifactEnv): ArtifactStoreSettings {
  const { ARTIFACT_STORE: kind, S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_REGION: region, S3_PATH_STYLE: pathStyle } = env;
  const secretAccessKey = secretOf(env);
  if (kind !== "s3" || bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    return { kind: kind === "s3" ? "off" : kind };
  }
  const endpoint = new URL(env.S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`);
  return { kind, s3: { endpoint, bucket, region, accessKeyId, secretAccessKey, pathStyle } };
}

function secretOf(env: ArtifactEnv): Secret | undefined {
  return env.S3_SECRET_ACCESS_KEY ?? env.S3_SECRET_ACCESS_KEY_FILE;
}
