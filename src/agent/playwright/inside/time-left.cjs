"use strict";
const known = require("./job.cjs");
const record = require("./record.cjs");

const everyMs = 250;

/** Shares of the time for evidence after which what still runs is cut: hooks after a test, and at last those after all tests. */
const cutsAt = [0.5, 0.9];

/** Of all processes of this machine alike. */
const nowMs = () => Number(process.hrtime.bigint() / 1_000_000n);
/** For tests; what is left of the run after it is for their evidence. */
const timeLeftMs = () => known.job.testsEndMs - nowMs();

module.exports = { nowMs, timeLeftMs, endTests };

/**
 * Ends tests while there is time for their evidence, whatever time-out they ask for. Only what is public: a test's own `setTimeout`. Hooks
 * after a test have half of what is left; where they hang, too, the evidence comes first.
 */
function endTests(test) {
  /** Of a test, counted from its begin. */
  const most = new WeakMap();
  /** Of a test, made so far. Not more: the same time-out holds for packing its trace, which would be cut, too. */
  const cuts = new WeakMap();
  const { setTimeout: setTestTimeout } = test;
  test.setTimeout = (ms) => setTestTimeout(ms === 0 ? longest(most.get(running(test) ?? most)) : ms); // older versions keep no time-out for ever
  setInterval(() => {
    const info = running(test);
    if (info === null) return;
    const leftMs = timeLeftMs();
    const cutsDue = cutsAt.filter((share) => leftMs < -share * known.job.evidenceMs).length;
    if (cutsDue > (cuts.get(info) ?? 0)) {
      cuts.set(info, cutsDue);
      info.setTimeout(1);
    }
    if (leftMs <= 0) return;
    const isNew = !most.has(info);
    if (isNew) most.set(info, Math.ceil(leftMs));
    const mostMs = most.get(info);
    if (info.timeout > 0 && info.timeout <= mostMs) return;
    if (info.timeout !== info.project.timeout)
      record("log", {
        time: Date.now(),
        level: "WARN",
        msg: `a time-out of ${info.timeout} ms is more than this run has left: ${mostMs} ms`,
      });
    info.setTimeout(mostMs);
  }, everyMs).unref();
}

function longest(mostMs = Math.max(1, Math.ceil(timeLeftMs()))) {
  tellCapped(0, mostMs);
  return mostMs;
}

function tellCapped(ms, mostMs) {
  record("log", { time: Date.now(), level: "WARN", msg: `a time-out of ${ms} ms is more than this run has left: ${mostMs} ms` });
}

function running(test) {
  try {
    return known.job === null ? null : test.info();
  } catch {
    return null; // none is
  }
}
