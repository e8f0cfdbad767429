import { Readable } from "node:stream";
import type { ProxySettings } from "#daemon/proxy.ts";
import { AppError } from "#domain/app-error.ts";
import type { BlobStore, BlobUpload } from "./blob-store.ts";
import { createS3Client, readWhole, type S3Answer, type S3Client, type S3Settings } from "./s3-client.ts";

/** In front of every key, so that a bucket may hold other things, too. */
const prefix = "artifacts/";

/** Blobs as objects of a bucket. Parts travel by multipart upload, so any process can take the next one, and nothing waits on a disk here. */
export function createS3Store(settings: S3Settings, proxies: ProxySettings, nowMs: () => number): BlobStore {
  const client = createS3Client(settings, proxies, nowMs);
  return {
    async begin(key) {
      const answer = expectOk(await client.send({ method: "POST", key: prefix + key, query: { uploads: "" } }));
      const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(answer.text)?.[1];
      if (uploadId === undefined) throw new AppError("unavailable", "the artifact store did not begin an upload");
      return unescaped(uploadId);
    },
    async putPart({ key, ref }, { number, size }, bytes, signal) {
      const query = { partNumber: String(number + 1), uploadId: ref };
      const { headers } = expectOk(await client.upload({ method: "PUT", key: prefix + key, query }, size, bytes, signal));
      return headers.etag ?? "";
    },
    async complete(upload, tags, size) {
      if (tags.length === 0) return putEmpty(client, upload);
      const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`);
      const text = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
      const answer = await client.send({ method: "POST", key: prefix + upload.key, query: { uploadId: upload.ref }, text });
      if (isMissing(answer) && (await sizeOf(client, upload.key)) === size) return; // it was completed before
      expectOk(answer);
    },
    async open(key, start, end) {
      if (start >= end) return Readable.from([]);
      const message = await client.download({ method: "GET", key: prefix + key, headers: { range: `bytes=${start}-${end - 1}` } });
      if (message.statusCode !== 206) throw refusal(await readWhole(message));
      if (message.headers["content-length"] === String(end - start)) return message;
      message.destroy(); // whoever downloads it was told another length
      throw new AppError("not_found", "the file is damaged: a part of it is missing in the store");
    },
    async remove({ key, ref }) {
      const steps = [...(ref === "" ? [] : [{ uploadId: ref }]), {}];
      for (const query of steps) {
        const answer = await client.send({ method: "DELETE", key: prefix + key, query });
        if (!isMissing(answer)) expectOk(answer);
      }
    },
  };
}

/** No upload of parts may be without any. */
async function putEmpty(client: S3Client, { key, ref }: BlobUpload): Promise<void> {
  expectOk(await client.send({ method: "PUT", key: prefix + key }));
  await client.send({ method: "DELETE", key: prefix + key, query: { uploadId: ref } });
}

async function sizeOf(client: S3Client, key: string): Promise<number | null> {
  const { status, headers } = await client.send({ method: "HEAD", key: prefix + key });
  return status === 200 ? Number(headers["content-length"]) : null;
}

/** The end of an upload may be refused with 200 and an error inside, as its answer begins before the work is done. */
function expectOk(answer: S3Answer): S3Answer {
  if (answer.status >= 200 && answer.status < 300 && codeOf(answer) === "") return answer;
  throw refusal(answer);
}

function refusal(answer: S3Answer): AppError {
  if (isMissing(answer)) return new AppError("not_found", "the artifact store does not have it");
  return new AppError("unavailable", `the artifact store answered ${answer.status} ${codeOf(answer)}`.trimEnd());
}

/** Servers answer 404 to other things, too: for a bucket that is not there, or a key that they do not know. */
function isMissing(answer: S3Answer): boolean {
  return answer.status === 404 && ["", "NoSuchKey", "NoSuchUpload"].includes(codeOf(answer));
}

function codeOf({ text }: S3Answer): string {
  return /<Error>[^]*?<Code>([A-Za-z]{1,60})<\/Code>/.exec(text)?.[1] ?? "";
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function unescaped(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
