import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** `NODE_COMPILE_CACHE` of tests and their processes: threads and processes that start from the same files compile them once. */
export const compileCache = join(tmpdir(), `outpost-tests-compiled-${userInfo().username}`);
