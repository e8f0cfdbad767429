import { codeSnapshotLimits, downloadSnapshot, uploadSnapshot } from "#contract/code-snapshots.ts";
import { AppError } from "#domain/app-error.ts";
import { type Handler, handler } from "../http/handler.ts";
import type { CodeSnapshotStore } from "../storage/storage.ts";

export interface CodeSnapshotDeps {
  readonly codeSnapshots: Pick<CodeSnapshotStore, "keep" | "read">;
  readonly nowMs: () => number;
}

export const snapshotRoom = { snapshots: codeSnapshotLimits.accountSnapshots, bytes: codeSnapshotLimits.accountBytes } as const;

/** Pictures that code brings along for the screenshots of its checks. */
export function codeSnapshotHandlers({ codeSnapshots, nowMs }: CodeSnapshotDeps): readonly Handler[] {
  return [
    handler(uploadSnapshot, async ({ body }, { caller, header }) => {
      if (Number(header("content-length") ?? 0) > codeSnapshotLimits.snapshotBytes) throw tooLarge();
      const bytes = await whole(body);
      return { key: await codeSnapshots.keep(caller.account.id, bytes, snapshotRoom, nowMs()) };
    }),
    handler(downloadSnapshot, async ({ body: { key } }, { caller }) => {
      const bytes = /^[0-9a-f]{64}$/.test(key) ? await codeSnapshots.read(caller.account.id, key, nowMs()) : undefined;
      if (bytes === undefined) throw new AppError("not_found", "There is no such snapshot; upload it again");
      return { name: `${key}.png`, contentType: "application/octet-stream", body: bytes };
    }),
  ];
}

/** @throws {AppError} too_large; invalid_input: it is empty, or breaks off */
async function whole(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of body) {
      size += part.length;
      if (size > codeSnapshotLimits.snapshotBytes) throw tooLarge();
      parts.push(part);
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("invalid_input", "The body ended early", { cause });
  }
  if (size === 0) throw new AppError("invalid_input", "The body is empty; it must be the picture");
  return Buffer.concat(parts);
}

function tooLarge(): AppError {
  return new AppError("too_large", `A snapshot has at most ${codeSnapshotLimits.snapshotBytes} bytes`);
}
