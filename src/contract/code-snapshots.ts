import { z } from "zod";
import type { Operation } from "./operation.ts";

/** Of one picture, of those of a check, and of all of an account. */
export const codeSnapshotLimits = {
  snapshotBytes: 5_000_000,
  checkSnapshots: 200,
  accountSnapshots: 5_000,
  accountBytes: 500_000_000,
} as const;

/** What a check names it by, as the upload answered it. */
const SnapshotKey = z.string().regex(/^[0-9a-f]{64}$/, "must be the key that an upload answered");

/** A picture that code brings along, and where it stands in the project. */
export const CodeSnapshot = z
  .object({
    key: SnapshotKey,
    path: z
      .string()
      .min(1)
      .max(1_000)
      .regex(/^(?!\/)(?!(?:.*\/)?\.{1,2}(?:\/|$))[^\\\0]+$/, "must be a path inside the project, without . and .. in it"),
  })
  .meta({ id: "CodeSnapshot" });
export type CodeSnapshot = z.output<typeof CodeSnapshot>;

const common = { tag: "Code bundles", rateLimit: "standard", method: "POST", access: "write", successStatus: 200 } as const;

export const uploadSnapshot = {
  ...common,
  id: "uploadSnapshot",
  path: "/next/checkly-storage/upload",
  summary: "Upload a picture that screenshots are compared with",
  description: `At most ${codeSnapshotLimits.snapshotBytes / 1e6} MB. \`snapshots\` of a browser check names it by the key. The same bytes again answer the same key. One that no check names and that nobody used for a week is removed.`,
  bytes: true,
  output: z.object({ key: SnapshotKey }).meta({ id: "StoredSnapshot" }),
  errors: [409, 413],
  example: {},
} as const satisfies Operation;

export const downloadSnapshot = {
  ...common,
  id: "downloadSnapshot",
  path: "/next/checkly-storage/download",
  summary: "Download one",
  body: z.object({ key: z.string().max(2_000) }),
  file: true,
  errors: [404],
  example: { body: { key: "7989bb311baa38ef545250282aa065d23281c46dfb8faabe4c653487bdbded5c" } },
} as const satisfies Operation;

export const codeSnapshotOperations = [uploadSnapshot, downloadSnapshot] as const;
