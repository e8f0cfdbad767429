/** What is known of locations and checks from which no data comes. */
export interface SilenceStore {
  /**
   * Looks at every location, and writes a notice for each channel that the checks concerned use. It waits in the channel's queue, as alerts do.
   *
   * @param upSinceMs nobody could be heard of before: silence begins then at the earliest
   * @returns how many notices were written
   */
  look(nowMs: number, upSinceMs: number): Promise<number>;
}
