import { Fields } from "./fields.ts";
import { isPointer } from "./json-pointer.ts";
import {
  eventTypes,
  type Condition,
  type EventsStep,
  type Impersonation,
  type Request,
  type RequestBody,
  type Saves,
  type Shape,
  type Step,
} from "./script.ts";

/** Reads one step. Which kind it is, its first field says. */
export function parseStep(value: unknown, where: string): Step {
  const fields = new Fields(value, where);
  const step = readStep(fields, where);
  fields.finish();
  return step;
}

function readStep(fields: Fields, where: string): Step {
  const events = fields.text("events");
  const common = { ...parseShape(fields), save: parseSaves(fields, where) };
  if (events !== undefined) return { kind: "events", events, take: parseTake(fields, where), ...common };
  const watch = fields.text("watch");
  const request = parseRequest(fields, where);
  if (watch !== undefined) return { kind: "watch", watch, ...request, ...common };
  const until = parseCondition(fields.take("until"), where);
  return { kind: "request", ...request, ...common, ...(until !== undefined && { until }) };
}

function parseTake(fields: Fields, where: string): EventsStep["take"] {
  const count = fields.number("count");
  const through = fields.text("through");
  if (count !== undefined && through === undefined) return count;
  const take = [...eventTypes, "end" as const].find((known) => known === through);
  if (take === undefined || count !== undefined) {
    throw new Error(`${where} needs count: <number>, or through: ${eventTypes.join(" | ")} | end`);
  }
  return take;
}

function parseRequest(fields: Fields, where: string): Request {
  const line = fields.text("request") ?? "";
  const [, method, path] = /^([A-Z]+) (\/\S*)$/u.exec(line) ?? [];
  if (method === undefined || path === undefined) {
    throw new Error(
      `${where} needs \`request: METHOD /path\` (spaces only in \`query\`), or \`events: watch\``,
    );
  }
  const body = parseBody(fields, where);
  const type = fields.text("type");
  const as = parseIdentity(fields.take("as"), where);
  const contentType = type ?? (body === undefined ? undefined : "application/json");
  return {
    method,
    path,
    query: fields.headers("query"),
    headers: {
      ...(contentType !== undefined && { "content-type": mediaTypes[contentType] ?? contentType }),
      ...fields.headers("headers"),
    },
    ...(as !== undefined && { as }),
    ...(body !== undefined && { body }),
  };
}

/** Short names of the media types of patches. */
const mediaTypes: Readonly<Record<string, string>> = {
  "json-patch": "application/json-patch+json",
  "merge-patch": "application/merge-patch+json",
  "strategic-merge-patch": "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

function parseBody(fields: Fields, where: string): RequestBody | undefined {
  const [json, text, base64] = [fields.take("body"), fields.text("text"), fields.text("base64")];
  const bodies: RequestBody[] = [];
  if (json !== undefined) bodies.push({ json });
  if (text !== undefined) bodies.push({ text });
  if (base64 !== undefined) bodies.push({ base64 });
  if (bodies.length > 1) throw new Error(`${where} has more than one of body, text and base64`);
  return bodies[0];
}

function parseIdentity(value: unknown, where: string): Impersonation | "anonymous" | undefined {
  if (value === undefined || value === "anonymous") return value;
  const fields = new Fields(value, `as of ${where}`);
  const extra = new Fields(fields.take("extra") ?? {}, `extra of ${where}`);
  const uid = fields.text("uid");
  const identity = {
    user: fields.text("user") ?? "",
    groups: fields.texts("groups") ?? [],
    ...(uid !== undefined && { uid }),
    extra: Object.fromEntries(extra.names().map((name) => [name, extra.texts(name) ?? []])),
  };
  fields.finish();
  return identity;
}

function parseCondition(value: unknown, where: string): Condition | undefined {
  if (value === undefined) return undefined;
  const fields = new Fields(value, `until of ${where}`);
  const status = fields.number("status");
  const body = fields.take("body");
  fields.finish();
  return { ...(status !== undefined && { status }), ...(body !== undefined && { body }) };
}

function parseSaves(fields: Fields, where: string): Saves {
  const saves = new Fields(fields.take("save") ?? {}, `save of ${where}`);
  return Object.fromEntries(
    saves.names().map((name) => {
      const from = saves.text(name) ?? "";
      if (isPointer(from) || from.startsWith("header:")) return [name, from];
      throw new Error(`${where} saves ${name} from \`${from}\`: neither a JSON pointer nor header:<name>`);
    }),
  );
}

function parseShape(fields: Fields): Shape {
  const [only, ignore, unordered] = [fields.texts("only"), fields.texts("ignore"), fields.texts("unordered")];
  for (const pointer of [only, ignore, unordered].flatMap((pointers) => pointers ?? [])) {
    if (!isPointer(pointer)) throw new Error(`\`${pointer}\` is not a JSON pointer`);
  }
  return {
    ...(only !== undefined && { only }),
    ...(ignore !== undefined && { ignore }),
    ...(unordered !== undefined && { unordered }),
  };
}
