import { isJsonList, isJsonObject } from "@kedge/machinery";

/**
 * A number whose text is not how JSON would write it (`1.0`, `1e3`), until it is known what it is for: Go reads no
 * integer of such a text, and a quantity keeps its form. A symbol: whatever merges and copies JSON hands it on as it is,
 * and it equals nothing.
 */
export function readWritten(value: unknown, text: string): unknown {
  return /[.eE]/u.test(text) && String(value) !== text ? Symbol(text) : value;
}

/** The text of such a number. */
export function writtenText(value: symbol): string {
  return value.description ?? "";
}

/** Makes numbers of all of them in a value, in place. */
export function settleNumbers(value: unknown): void {
  if (isJsonList(value)) {
    for (const [i, item] of value.entries()) value[i] = settled(item);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const item = settled(value[key]);
      if (item !== value[key]) value[key] = item;
    }
  }
}

function settled(value: unknown): unknown {
  if (typeof value === "symbol") return Number(writtenText(value));
  settleNumbers(value);
  return value;
}

/** The JSON of a value that may have some, which are written as they were. */
export function writtenJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "symbol" ? JSON.rawJSON(writtenText(each)) : each,
  );
}
