import { fieldInvalid, fieldTooMany, isJsonList, isJsonObject } from "@kedge/machinery";
import type { JsonSchema } from "../json-schema.ts";
import { stableText } from "../stable-text.ts";
import type { Check } from "./check.ts";
import { checkPart } from "./ratchet.ts";

/** Checks the items of a list, then their number, then that they are unique. */
export function compileListCheck(schema: JsonSchema, item: Check | undefined): Check {
  const { minItems, maxItems } = schema;
  const unique = schema.uniqueItems === true;
  const keys = schema["x-kubernetes-list-type"] === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : [];

  return (value, findings, previous) => {
    if (!isJsonList(value)) return;
    if (item !== undefined) {
      const before = keys.length > 0 && isJsonList(previous) ? byKeys(previous, keys) : undefined;
      for (const [index, part] of value.entries()) {
        findings.enterItem(index);
        checkPart(item, part, findings, before?.get(keysOf(part, keys)));
        findings.leave();
      }
    }
    const count = value.length;
    if (minItems !== undefined && count < minItems) {
      const detail = `${findings.path} in body should have at least ${minItems} items`;
      findings.add(fieldInvalid(findings.field(), count, detail));
    }
    if (maxItems !== undefined && count > maxItems) {
      findings.add(fieldTooMany(findings.field(), count, maxItems));
    }
    if (unique && hasTwins(value)) {
      const detail = `${findings.path} in body shouldn't contain duplicates`;
      findings.add(fieldInvalid(findings.field(), "", detail));
    }
    findings.matched(1);
  };
}

/** Items of the list before, by the keys that tell them apart. */
function byKeys(items: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  return new Map(items.map((item) => [keysOf(item, keys), item]));
}

function keysOf(item: unknown, keys: readonly string[]): string {
  if (!isJsonObject(item)) return "";
  return JSON.stringify(keys.map((key) => (Object.hasOwn(item, key) ? item[key] : null)));
}

function hasTwins(items: readonly unknown[]): boolean {
  return new Set(items.map(stableText)).size < items.length;
}
