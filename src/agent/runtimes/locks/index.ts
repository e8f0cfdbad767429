import type { RuntimeId } from "#contract/runtime-catalog.ts";
import type { RuntimeLock } from "../runtime-lock.ts";
import { lock as lock202210 } from "./2022.10.ts";
import { lock as lock202302 } from "./2023.02.ts";
import { lock as lock202309 } from "./2023.09.ts";
import { lock as lock202402 } from "./2024.02.ts";
import { lock as lock202409 } from "./2024.09.ts";
import { lock as lock202504 } from "./2025.04.ts";
import { lock as lock202604 } from "./2026.04.ts";

/** The lock of every runtime. */
export const locks: Readonly<Record<RuntimeId, RuntimeLock>> = {
  "2026.04": lock202604,
  "2025.04": lock202504,
  "2024.09": lock202409,
  "2024.02": lock202402,
  "2023.09": lock202309,
  "2023.02": lock202302,
  "2022.10": lock202210,
};
