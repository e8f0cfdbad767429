/** English texts of what a script may begin with. */
export const scriptTemplateTexts = {
  label: "Begin with a script",
  begin: "Begin with:",
  page: "a page that must be there",
  signIn: "signing in",
  search: "searching and filling a cart",
  answers: "an answer of an API",
  token: "a token and a request with it",
  order: "an order, from making it to cancelling it",
} as const;
