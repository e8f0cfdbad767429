import { initial } from "./0001-initial.ts";
import { resultAssets } from "./0002-result-assets.ts";
import { marks } from "./0003-marks.ts";
import { scriptRuntime } from "./0004-script-runtime.ts";
import { documents } from "./0005-documents.ts";
import type { Migration } from "./migration.ts";

/** Every migration, in order. */
export const migrations: readonly Migration[] = [initial, resultAssets, marks, scriptRuntime, documents];
