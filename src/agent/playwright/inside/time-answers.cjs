"use strict";

const timed = new WeakSet();

/** Notes of each answer of a request context how long it took, for `getAPIResponseTime`: all contexts are of one kind. */
module.exports = function timeAnswers(context) {
  const contexts = Object.getPrototypeOf(context);
  if (timed.has(contexts)) return;
  timed.add(contexts);
  const { fetch } = contexts;
  contexts.fetch = async function (...given) {
    const startMs = performance.now();
    const response = await fetch.apply(this, given);
    const total = performance.now() - startMs;
    response.timings = () => ({ total });
    return response;
  };
};
