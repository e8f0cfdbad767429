import { AppError } from "#domain/app-error.ts";

/** Where a list goes on: after this result, towards older ones. */
export interface Cursor {
  readonly startedAtUs: number;
  readonly id: number;
}

export function encodeCursor({ startedAtUs, id }: Cursor): string {
  return Buffer.from(`${startedAtUs}.${id}`).toString("base64url");
}

/** @throws {AppError} invalid_input for text that `encodeCursor` did not make */
export function decodeCursor(text: string): Cursor {
  const parts = /^(\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(text, "base64url").toString("latin1"));
  if (!parts) throw new AppError("invalid_input", "nextId is not one that this service gave out");
  return { startedAtUs: Number(parts[1]), id: Number(parts[2]) };
}
