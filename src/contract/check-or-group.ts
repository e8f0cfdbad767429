/** As JSON Schema: exactly one of the two. */
export function namesOne() {
  return { allOf: [{ oneOf: [namedBy("checkId"), namedBy("groupId")] }] };
}

/** The one is there, and the other is absent or null. */
function namedBy(one: "checkId" | "groupId") {
  const other = one === "checkId" ? "groupId" : "checkId";
  return { required: [one], properties: { [one]: { not: { type: "null" } }, [other]: { type: "null" } } };
}
