import { initial } from "./0001-initial.ts";
import { resultAssets } from "./0002-result-assets.ts";
import type { Migration } from "./migration.ts";

/** Every migration, in order. */
export const migrations: readonly Migration[] = [initial, resultAssets];
