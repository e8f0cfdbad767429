/** The smallest accepted bodies; a test adds what it is about. */
export const apiCheckBody = (extra: Readonly<Record<string, unknown>> = {}) => ({
  name: "shop",
  request: { method: "GET", url: "https://shop.example" },
  ...extra,
});

/** The request of `apiCheckBody` with more in it. */
export const apiRequestBody = (extra: Readonly<Record<string, unknown>> = {}) => ({ method: "GET", url: "https://shop.example", ...extra });
