import type { SchemaTable } from "@kedge/machinery/schema-table";
import { subresourceFacts, type SubresourceFacts } from "../discovery/subresources.ts";
import type { Resource } from "../registry/types.ts";
import { schemaName } from "./components.ts";
import type { JsonSchema } from "./json-schema.ts";
import { title, type OperationMaker, type Subject } from "./operation-maker.ts";

/** The operations of a resource's subresources. */
export function subresourcePaths(
  table: SchemaTable,
  resource: Resource,
  make: OperationMaker,
): readonly { readonly name: string; readonly operations: JsonSchema }[] {
  return subresourceFacts(resource).map((facts) => {
    const subject = subjectOf(table, resource, { facts, own: make.own });
    return { name: facts.name, operations: operationsOf(facts, subject, make) };
  });
}

/** What a part is sent and answered as. Options of connections are no schemas: there it is the resource itself. */
function subjectOf(
  table: SchemaTable,
  resource: Resource,
  { facts, own }: { readonly facts: SubresourceFacts; readonly own: Subject },
): Subject {
  const { name, group, version, kind } = facts;
  const suffix = title(name);
  if (group === "" && kind === resource.kind) return { ...own, suffix };
  const gvk = group === "" ? { ...own.kind, kind } : { group, version, kind };
  const schema = schemaName(table, { ...gvk, custom: undefined });
  return { kind: gvk, schema: table.type(schema) === undefined ? own.schema : schema, suffix };
}

function operationsOf({ kind, verbs }: SubresourceFacts, subject: Subject, make: OperationMaker): JsonSchema {
  if (kind.endsWith("Options")) {
    return {
      ...(verbs.includes("get") ? { get: make.connect("Get", subject) } : {}),
      ...(verbs.includes("create") ? { post: make.connect("Post", subject) } : {}),
    };
  }
  return {
    ...(verbs.includes("get") ? { get: make.read(subject) } : {}),
    ...(verbs.includes("create") ? { post: make.create(subject) } : {}),
    ...(verbs.includes("update") ? { put: make.replace(subject) } : {}),
    ...(verbs.includes("patch") ? { patch: make.patch(subject) } : {}),
  };
}
