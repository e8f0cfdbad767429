import { defineConfig, mergeConfig } from "vitest/config";
import whole from "./vitest.config.ts";

const rooms = [
  "{domain,contract,daemon,importers,project}",
  "control-plane/{http,jobs,probes,rest,scheduler,secrets}",
  "agent/{net/dns,net/icmp,scripts,scrub}",
];
/** They make repositories, start servers of other programs or try a million inputs. */
const long = ["test/project/npm-version.test.ts", "test/project/release-dry-run.test.ts", "test/domain/scrub/scrubber.test.ts"];

const { globalSetup: _servers, projects: _projects, ...test } = whole.test ?? {};

/** `npm run test:quick`: rules, contract and boundaries, and what stands on them with SQLite alone, in a minute. */
export default mergeConfig(
  { ...whole, test },
  defineConfig({
    test: { include: rooms.map((room) => `test/${room}/**/*.test.ts`), exclude: long, env: { OUTPOST_TEST_ENGINES: "sqlite" } },
  }),
);
