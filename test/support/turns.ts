/** Lets the event loop turn, timers faked or not, until `done` says so. */
export async function turnsUntil(done: () => boolean): Promise<void> {
  for (let turns = 0; !done(); turns += 1) {
    if (turns > 200_000) throw new Error("it never came true");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
