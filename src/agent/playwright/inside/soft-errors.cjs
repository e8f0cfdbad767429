"use strict";
const record = require("./record.cjs");

/** Tells which errors of a test came from `expect.soft`: they are counted around each soft matcher with the public `test.info().errors`. */
module.exports = function watchSoftErrors({ expect, test }, file) {
  const entry = require.cache[require.resolve(file)];
  if (entry === undefined) return;
  const { soft } = expect;
  const watched = new Proxy(expect, { get: (target, name) => (name === "soft" ? (...given) => wrap(soft(...given), test) : target[name]) });
  const tests = entry.exports;
  entry.exports = new Proxy(tests, { get: (target, name) => (name === "expect" ? watched : target[name]) });
};

function wrap(matchers, test) {
  return new Proxy(matchers, {
    get(target, name) {
      const value = target[name];
      if (name === "not" || name === "resolves" || name === "rejects") return wrap(value, test);
      if (typeof value !== "function") return value;
      return (...given) => {
        const info = test.info();
        const [before, id] = [info.errors.length, info.testId ?? info._test.id]; // 1.28 tells it nowhere else
        const count = () => {
          for (let index = before; index < info.errors.length; index += 1) record("soft", { test: id, retry: info.retry, index });
        };
        const result = value.apply(target, given);
        if (typeof result?.then !== "function") {
          count();
          return result;
        }
        return result.then((one) => {
          count();
          return one;
        });
      };
    },
  });
}
