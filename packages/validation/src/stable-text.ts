import { isJsonList, isJsonObject } from "@kedge/machinery";

/** JSON with its keys in order: equal values have equal texts. */
export function stableText(value: unknown): string {
  if (isJsonList(value)) return `[${value.map(stableText).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? "null";
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${stableText(value[key])}`).join(",")}}`;
}
