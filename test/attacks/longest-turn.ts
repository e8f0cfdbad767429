/** The longest turn of the loop while `work` goes on, in ms of this thread's time: a busy machine does not count. */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  let [worstUs, isOver] = [0, false];
  let last = process.threadCpuUsage();
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    worstUs = Math.max(worstUs, user + system);
    last = process.threadCpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const result = await work();
  // The stall may be in the turn that ended the work, and a turn is counted by the one after it.
  for (let more = 0; more < 3; more += 1) await new Promise((done) => setImmediate(done));
  isOver = true;
  return { result, ms: worstUs / 1_000 };
}
