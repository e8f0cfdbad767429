const limitMs = 20_000;
/** Of the real clock, whatever a test does to clocks later. */
const realMs = performance.now.bind(performance);

/** Lets the event loop turn, timers faked or not, until `done` says so. */
export async function turnsUntil(done: () => boolean): Promise<void> {
  for (const endMs = realMs() + limitMs; !done(); ) {
    if (realMs() > endMs) throw new Error("it never came true");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
