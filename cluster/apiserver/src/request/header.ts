import type { ApiHeaders } from "@kedge/machinery";

/** The value of a header, several joined as HTTP allows. */
export function headerOf(headers: ApiHeaders, name: string): string {
  const value = headers[name] ?? "";
  return typeof value === "string" ? value : value.join(", ");
}
