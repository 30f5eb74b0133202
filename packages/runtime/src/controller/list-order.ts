import { isJsonList, isJsonObject } from "@kedge/machinery";
import { readElement } from "./list-element.ts";

/**
 * In which order an object has those items of its keyed lists that a field set (`fieldsV1`) names. The set itself does
 * not say: another order is a change that it does not show.
 */
export function orderText(object: unknown, fields: unknown): string {
  return JSON.stringify(orderOf(object, fields));
}

function orderOf(value: unknown, fields: unknown): unknown {
  if (!isJsonObject(fields)) return 0;
  const elements = Object.entries(fields).filter(([element]) => element !== ".");
  if (isJsonList(value)) {
    return elements.map(([element, inner]) => {
      const { isOf } = readElement(element);
      const index = value.findIndex((item) => isOf(item, "must have"));
      return [index, orderOf(value[index], inner)];
    });
  }
  if (!isJsonObject(value)) return 0;
  return elements.map(([element, inner]) => orderOf(value[element.slice(2)], inner));
}
