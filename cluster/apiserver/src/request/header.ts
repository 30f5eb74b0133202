import type { ApiHeaders } from "@kedge/machinery";

/** The value of a header, several joined as HTTP allows. */
export function headerOf(headers: ApiHeaders, name: string): string {
  return [headers[name] ?? []].flat().join(", ");
}
