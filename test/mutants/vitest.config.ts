import { defineConfig, mergeConfig } from "vitest/config";
import quick from "../vitest.quick.config.ts";

/** The quick tier without the tests that read sources: to them a mutated file is just another text. */
export default mergeConfig(quick, defineConfig({ test: { exclude: ["test/project/**"] } }));
