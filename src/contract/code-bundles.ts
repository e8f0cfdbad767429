import { z } from "zod";
import type { Operation } from "./operation.ts";
import { Instant, Limit, Page } from "./primitives.ts";

/** Of a project of tests that is uploaded: packed, unpacked, and what is in it, folders and links too. */
export const codeBundleLimits = { packedBytes: 100_000_000, unpackedBytes: 500_000_000, entries: 20_000 } as const;

const digest = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hexadecimal");

/** A project of tests as it was uploaded: a `.tar.gz`. It never changes; the same bytes are stored once. */
export const CodeBundle = z
  .object({
    key: z.string().describe("what `codeBundlePath` of a check names it by"),
    sha256: digest,
    bytes: z.int().describe("packed"),
    unpackedBytes: z.int(),
    files: z.int(),
    createdAt: Instant,
    lastUsedAt: Instant.describe("when it was uploaded, looked for or handed to an agent the last time; to the hour"),
  })
  .meta({ id: "CodeBundle" });
export type CodeBundle = z.infer<typeof CodeBundle>;

const common = { tag: "Code bundles", rateLimit: "standard" } as const;
const rules = `A \`.tar.gz\` of at most ${codeBundleLimits.packedBytes / 1e6} MB, with at most ${codeBundleLimits.entries} entries and ${codeBundleLimits.unpackedBytes / 1e6} MB in it: files, folders, and links that stay inside. Anything else is refused with 400, a larger one with 413, and nothing of it is kept.`;

export const createCodeBundle = {
  ...common,
  id: "createCodeBundle",
  method: "POST",
  path: "/v1/code-bundles",
  summary: "Upload a project of tests",
  description: `${rules} The same bytes again answer the bundle that is there. A bundle that no check names and that nobody used for a week is removed.`,
  example: {},
  access: "write",
  query: z.object({ sha256: digest.optional().describe("of the body: other bytes are refused") }),
  bytes: true,
  output: CodeBundle,
  successStatus: 201,
  errors: [409, 413],
} as const satisfies Operation;

export const listCodeBundles = {
  ...common,
  id: "listCodeBundles",
  method: "GET",
  path: "/v1/code-bundles",
  summary: "List code bundles",
  description: "The newest first.",
  example: { query: { limit: 10, page: 1 } },
  access: "read",
  query: z.object({ limit: Limit, page: Page }),
  output: z.array(CodeBundle),
  successStatus: 200,
  paged: true,
} as const satisfies Operation;

/** As clients of the contract know one. */
const StoredBundle = z
  .object({
    key: z.string(),
    lastModified: Instant,
    contentLength: z.int().describe("bytes"),
    checksumSha256: digest,
  })
  .meta({ id: "StoredCodeBundle" });

/** A header that clients of the contract send. */
export const bundleChecksumHeader = "x-bundle-checksum-sha256";

export const uploadCodeBundle = {
  ...common,
  id: "uploadCodeBundle",
  method: "POST",
  path: "/next/checkly-storage/upload-code-bundle",
  summary: "Upload a project of tests, as command-line clients do",
  description: `${rules} With the header \`${bundleChecksumHeader}\`, hexadecimal or base64, other bytes are refused.`,
  example: {},
  access: "write",
  bytes: true,
  output: StoredBundle,
  successStatus: 200,
  errors: [409, 413],
} as const satisfies Operation;

export const peekCodeBundle = {
  ...common,
  id: "peekCodeBundle",
  method: "POST",
  path: "/next/checkly-storage/peek-code-bundle",
  summary: "Look whether a code bundle is there",
  example: { body: { key: "7989bb311baa38ef545250282aa065d23281c46dfb8faabe4c653487bdbded5c.tar.gz" } },
  access: "write",
  body: z.object({ key: z.string().max(2_000) }),
  output: StoredBundle,
  successStatus: 200,
  errors: [404],
} as const satisfies Operation;

export const codeBundleOperations = [createCodeBundle, listCodeBundles, uploadCodeBundle, peekCodeBundle] as const;
