"use strict";
const path = require("node:path");

/** What each process uses of Playwright in nearly every run, so that it is there before the job is: below the package's `lib`. */
const ofRunner = [
  "runner/testRunner runner/reporters runner/tasks runner/taskRunner runner/rebase runner/loadUtils runner/loaderHost runner/dispatcher runner/workerHost",
  "runner/projectUtils runner/failureTracker runner/lastRun runner/sigIntWatcher runner/testGroups reporters/base reporters/json reporters/internalReporter",
  "reporters/multiplexer reporters/reporterV2 plugins/webServerPlugin common/testLoader common/validators common/fixtures common/suiteUtils isomorphic/folders",
];
const ofTests = [
  "common/validators common/fixtures common/suiteUtils worker/testInfo worker/testTracing worker/timeoutManager transform/compilationCache",
];
const ofRequests = [
  "client/locator client/browserContext client/network client/tracing client/clientStackTrace server/fetch server/cookieStore server/browserContext",
  "server/network server/errors server/trace/recorder/tracing server/har/harTracer server/dispatchers/networkDispatchers server/dispatchers/tracingDispatcher",
];
const ofPages = [
  "client/browser client/clock client/events client/frame client/input client/jsHandle client/page client/types protocol/serializers server/browser server/clock",
  "server/chromium/chromiumSwitches server/chromium/crBrowser server/chromium/crConnection server/chromium/crDragDrop server/chromium/crExecutionContext",
  "server/chromium/crInput server/chromium/crNetworkManager server/chromium/crPage server/chromium/crProtocolHelper server/chromium/defaultFontFamilies",
  "server/debugger server/dialog server/dispatchers/browserContextDispatcher server/dispatchers/browserDispatcher server/dispatchers/frameDispatcher",
  "server/dispatchers/jsHandleDispatcher server/dispatchers/pageDispatcher server/dom server/frameSelectors server/frames server/input server/page",
  "server/pipeTransport server/screencast server/screenshotter server/selectors server/trace/recorder/snapshotter server/trace/recorder/snapshotterInjected",
  "server/types server/usKeyboardLayout generated/injectedScriptSource generated/bindingsControllerSource generated/clockSource utils/isomorphic/cssParser",
  "utils/isomorphic/locatorUtils utils/isomorphic/selectorParser utils/isomorphic/utilityScriptSerializers",
];

module.exports = { loadForRunner, loadForWorker };

function loadForRunner(lib) {
  load(lib, ofRunner);
  quietly(() => require.resolve("@playwright/test", { paths: [lib] })); // scripts are loaded here, too, to find their tests
}

function loadForWorker(lib, hasPages) {
  load(lib, ofTests);
  const core = path.dirname(require.resolve("playwright-core/package.json", { paths: [lib] }));
  load(path.join(core, "lib"), hasPages ? [...ofRequests, ...ofPages] : ofRequests);
}

function load(lib, names) {
  for (const name of names.join(" ").split(" ")) quietly(() => path.join(lib, `${name}.js`));
}

/** What a version does not have is not missed. */
function quietly(file) {
  try {
    require(file());
  } catch {}
}
