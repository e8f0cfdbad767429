/** A Tuesday in the morning. */
export const demoNowMs = Date.UTC(2026, 8, 15, 9, 42);

export type Post = (path: string, body: object) => Promise<{ readonly id: string; readonly [field: string]: unknown }>;
