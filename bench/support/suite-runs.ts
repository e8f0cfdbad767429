import { npmLock, npmProject, playwrightRegistry } from "../../test/agent/suites/project.ts";
import { SuitesUnderTest } from "../../test/agent/suites/suite-under-test.ts";
import { reporterOf, suiteFiles } from "./suite-bench.ts";

/** Runs a suite so many times, the first time with its install; the CPU of it is measured from outside. */
const [url = "", count = "1", reporter] = process.argv.slice(2);
await using registry = await playwrightRegistry();
await using suites = await SuitesUnderTest.start({ registry: registry.url });
const codeBundlePath = suites.add(npmProject(await npmLock(registry), suiteFiles(url, reporterOf(reporter))));
for (let run = 0; run < Number(count); run += 1) {
  const { failure, outcome } = await suites.run({ codeBundlePath });
  if (outcome !== "passed") throw new Error(failure?.message ?? outcome);
}
