import { errorName, type Libc, libc } from "./libc.ts";

/** What the system did not let us do; `code` is its name (`EACCES`, `EMFILE`). */
export class SystemCallError extends Error {
  override readonly name = "SystemCallError";
  readonly code: string;

  constructor(call: string, errno: number) {
    const code = errorName(errno);
    super(`${call}: ${code}`);
    this.code = code;
  }
}

/** @throws {Error} where the calls, or the layout of their structures, are not Linux's */
export function linuxCalls(): Libc {
  if (process.platform !== "linux") throw new Error("this is possible on Linux only");
  return libc();
}
