import { isJsonList, isJsonObject, type JsonObject } from "@kedge/machinery";
import type { Chooser } from "../chooser.ts";

/** Makes up a value for a schema of a definition: mostly one that fits, and now and then, as a fault, one that does not. */
export function makeValue(choose: Chooser, schema: JsonObject, depth = 0): unknown {
  if (choose.isFaulty) return choose.one(wrongValues);
  if (schema["nullable"] === true && choose.maybe(10)) return null;
  if (isJsonList(schema["enum"])) return choose.one(schema["enum"], ["none-of-these"]);
  if (schema["x-kubernetes-int-or-string"] === true)
    return choose.one<unknown>([1, 80, "50%", "http"], [true, 1.5]);
  switch (schema["type"]) {
    case "object":
      return makeObject(choose, schema, depth);
    case "array":
      return makeList(choose, schema, depth);
    case "string":
      return makeText(choose, schema);
    case "integer":
      return makeNumber(choose, schema);
    case "number":
      return choose.one<unknown>([0.5, 1, 2], ["1"]);
    case "boolean":
      return choose.one<unknown>([true, false], ["true", 1]);
    default:
      return choose.one<unknown>([{ any: 1 }, "any", 7]);
  }
}

const wrongValues: readonly unknown[] = [
  "",
  "Wrong Value!",
  -1,
  1e12,
  true,
  [],
  {},
  null,
  ["x"],
  { unknown: 1 },
];

/** The deeper, the less of what need not be there. */
function makeObject(choose: Chooser, schema: JsonObject, depth: number): JsonObject {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(isJsonList(schema["required"]) ? schema["required"] : []);
  const percent = [40, 30, 20, 12, 6, 0][depth] ?? 0;
  const made: JsonObject = {};
  for (const [name, value] of Object.entries(properties)) {
    if (!isJsonObject(value) || (depth === 0 && skipped.has(name))) continue;
    const isThere = required.has(name) ? !choose.isFaulty : choose.maybe(percent);
    if (isThere) made[name] = makeValue(choose, value, depth + 1);
  }
  const { additionalProperties: others } = schema;
  if (isJsonObject(others) && choose.maybe())
    made[choose.one(["one", "two"])] = makeValue(choose, others, depth + 1);
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) made["free"] = { any: [1, "two"] };
  if (choose.isFaulty) made["unheardOf"] = 1;
  return made;
}

const skipped = new Set(["apiVersion", "kind", "metadata", "status"]);

function makeList(choose: Chooser, schema: JsonObject, depth: number): unknown[] {
  const items = isJsonObject(schema["items"]) ? schema["items"] : {};
  const least = typeof schema["minItems"] === "number" ? schema["minItems"] : 0;
  const most = typeof schema["maxItems"] === "number" ? schema["maxItems"] : 2;
  return choose.list(Math.max(least, Math.min(most, 2)), () => makeValue(choose, items, depth + 1), least);
}

function makeText(choose: Chooser, schema: JsonObject): unknown {
  const { format, pattern, minLength = 0, maxLength = 1000 } = schema;
  const byFormat = typeof format === "string" ? formats[format] : undefined;
  if (byFormat !== undefined) return choose.one(byFormat, ["yesterday"]);
  const tries = typeof pattern === "string" ? texts.filter((text) => matches(pattern, text)) : texts;
  const fit = tries.filter((text) => text.length >= Number(minLength) && text.length <= Number(maxLength));
  return choose.one<unknown>(fit.length > 0 ? fit : ["a".repeat(Number(minLength))], ["", "Not This!", 5]);
}

/** What most patterns want: names, times, sizes, addresses. */
const texts = [
  "a",
  "web",
  "example.com",
  "sha256:abc",
  "10s",
  "1h30m",
  "5m",
  "1Gi",
  "100m",
  "http://example.com/x",
  "https://example.com",
  "10.0.0.1",
  "10.0.0.0/8",
  "v1.2.3",
  "/path",
  "A",
  "1",
  "2026-11-17",
  "oci://example.com/chart",
  "*/5 * * * *",
];

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return false;
  }
}

const formats: Readonly<Record<string, readonly string[]>> = {
  "date-time": ["2026-11-17T05:00:00Z"],
  date: ["2026-11-17"],
  duration: ["10s", "1h"],
  byte: ["YQ=="],
  uri: ["https://example.com/x"],
  uuid: ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6"],
  ipv4: ["10.0.0.1"],
  ipv6: ["::1"],
  cidr: ["10.0.0.0/8"],
  hostname: ["example.com"],
  email: ["a@example.com"],
};

function makeNumber(choose: Chooser, schema: JsonObject): unknown {
  const { minimum = 0, maximum = 100 } = schema;
  const [least, most] = [Number(minimum), Number(maximum)];
  return choose.one<unknown>([least, Math.min(most, least + 1), most], [least - 1, most + 1, 1.5, "1"]);
}
