/** How a loop tells whether its work gets done. */
export interface WorkReport {
  /** @param tookMs where it is measured */
  readonly worked: (tookMs?: number) => void;
  readonly failed: (error: unknown) => void;
}
