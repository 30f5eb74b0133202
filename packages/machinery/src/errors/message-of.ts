/** What an error says; of what was thrown and is none, its text. */
export function messageOf(error: unknown): string {
  // Such as a name with several addresses, none of which could be reached: each has a reason, all together have none.
  if (error instanceof AggregateError && error.message === "")
    return error.errors.map((each: unknown) => messageOf(each)).join("; ");
  return error instanceof Error ? error.message : String(error);
}
