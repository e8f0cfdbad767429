import { describe, expect, it } from "vitest";
import { Expectation } from "../../../../src/agent/runners/tcp/expectation.ts";

const answer = Buffer.from(Array.from({ length: 65_536 }, (_, index) => "abcxyz 01"[(index * index + index) % 9]).join(""));

describe("an expected expression", () => {
  // Each took one to three seconds of the thread that times all other runs.
  it.each(["(?:[ab]?c?){300}[x-z]{2}[0-9]{9}", "(?:[ab]?){700}[p-q]", "[^q]{700}[pq]", "a[ab]{900}[pq]"])(
    "%s holds the event loop for a moment at most, however often it is looked for",
    (source) => {
      const expectation = new Expectation(source);
      const startedMs = performance.now();
      for (let look = 0; look < 20; look += 1) expect(expectation.isMetBy(answer)).toBe(false);
      expect(performance.now() - startedMs).toBeLessThan(1_500);
      expect(expectation.problem).toMatch(/needs too much work/);
    },
  );

  it("of the usual size is found at the end of an answer that drips in", () => {
    const expectation = new Expectation(String.raw`^HTTP/1\.[01] 200 [^\r\n]*[\s\S]*</html>$`);
    const whole = Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\n"), answer.subarray(0, 60_000), Buffer.from("</html>")]);
    for (let length = 64; length < whole.length; length = Math.ceil(length * 1.125)) {
      expect(expectation.isMetBy(whole.subarray(0, length))).toBe(false);
    }
    expect(expectation.isMetBy(whole)).toBe(true);
  });
});
