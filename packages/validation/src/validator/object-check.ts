import { fieldInvalid, fieldRequired, fieldTooMany, isJsonObject, type JsonObject } from "@kedge/machinery";
import type { JsonSchema } from "../json-schema.ts";
import type { Check } from "./check.ts";
import type { Findings } from "./findings.ts";
import { checkPart } from "./ratchet.ts";

/** Compiled schemas of an object's fields. */
export interface ObjectParts {
  readonly properties: ReadonlyMap<string, Check>;
  readonly additional: Check | undefined;
}

/** Checks the number of fields, other fields, declared fields, then required ones. */
export function compileObjectCheck(schema: JsonSchema, parts: ObjectParts): Check {
  const { minProperties, maxProperties } = schema;
  const closed = schema.additionalProperties === false;
  const required = schema.required ?? [];
  const counted = minProperties !== undefined || maxProperties !== undefined;
  const properties = Array.from(parts.properties, ([name, check]) => ({ name, dotted: `.${name}`, check }));

  return (value, findings, previous) => {
    if (!isJsonObject(value)) return;
    const before = isJsonObject(previous) ? previous : undefined;
    if (counted) checkCount(schema, Object.keys(value).length, findings);
    if (closed || parts.additional !== undefined) {
      for (const key of Object.keys(value)) {
        if (parts.properties.has(key)) continue;
        if (closed) forbidKey(key, findings);
        else if (parts.additional !== undefined) {
          findings.enterKey(key);
          checkPart(parts.additional, value[key], findings, ownOf(before, key));
          findings.leave();
        }
      }
    }
    for (const { name, dotted, check } of properties) {
      if (!Object.hasOwn(value, name)) continue;
      findings.enterField(name, dotted);
      // The root's kind and apiVersion are the same by conversion: they are always checked.
      const ratcheted =
        before !== undefined && !(findings.atRoot && (name === "kind" || name === "apiVersion"));
      checkPart(check, value[name], findings, ratcheted ? ownOf(before, name) : undefined);
      findings.leave();
    }
    for (const name of required) {
      if (!Object.hasOwn(value, name)) findings.add(fieldRequired(findings.field(`.${name}`)));
    }
  };
}

function ownOf(object: JsonObject | undefined, key: string): unknown {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

function checkCount(schema: JsonSchema, count: number, findings: Findings): void {
  const { minProperties, maxProperties } = schema;
  if (minProperties !== undefined && count < minProperties) {
    const detail = `${findings.path} in body should have at least ${minProperties} properties`;
    findings.add(fieldInvalid(findings.field(), count, detail));
  }
  if (maxProperties !== undefined && count > maxProperties) {
    findings.add(fieldTooMany(findings.field(), count, maxProperties));
  }
}

function forbidKey(key: string, findings: Findings): void {
  findings.add(
    fieldInvalid(findings.field(), key, `${findings.path}.${key} in body is a forbidden property`),
  );
}
