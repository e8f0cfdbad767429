/** Names to addresses. A literal address resolves to itself, whatever the family. */
export interface Resolver {
  /**
   * At least one address, in the order to try them.
   * @throws {ProbeError} ENOTFOUND (side target) when there is no such name or no such address, ECNAMELOOP (side target)
   *   when its aliases lead in a circle; EDNS or ETIMEDOUT (side agent) when no server could say
   * @throws the signal's reason
   */
  resolve(host: string, family: 4 | 6, signal: AbortSignal): Promise<string[]>;
}
