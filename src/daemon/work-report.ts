/** How a loop tells whether its work gets done. */
export interface WorkReport {
  readonly worked: () => void;
  readonly failed: (error: unknown) => void;
}
