import type { Kind } from "@kedge/machinery";
import {
  FlowSchema as FlowSchemaKind,
  PriorityLevelConfiguration,
} from "@kedge/machinery/kinds/flowcontrol/v1";
import { mandatoryFlowSchemas, mandatoryPriorityLevels } from "../kinds/flow-control/bootstrap-flows.ts";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import type { ObjectReader } from "../registry/types.ts";
import type { FlowControl } from "./flow-control.ts";
import { flowSchemaOf, priorityLevelOf } from "./read-flow-objects.ts";

/** The flow control of a server before it has read its store: what no cluster is without. */
export function imagineMandatory(flows: FlowControl): void {
  for (const name of mandatoryPriorityLevels.keys()) imagineLevel(flows, name);
  for (const name of mandatoryFlowSchemas.keys()) imagineSchema(flows, name);
}

/** From now on the objects of the server count, each from the moment at which its write is answered. The result ends it. */
export function followFlowObjects(objects: ObjectReader, flows: FlowControl): () => void {
  const stops = [
    follow(objects, PriorityLevelConfiguration, (level, isThere) => {
      const { name = "" } = level.metadata ?? {};
      if (isThere) flows.setLevel(priorityLevelOf(level));
      else if (mandatoryPriorityLevels.has(name)) imagineLevel(flows, name);
      else flows.deleteLevel(name);
    }),
    follow(objects, FlowSchemaKind, (schema, isThere) => {
      const { name = "" } = schema.metadata ?? {};
      if (isThere) flows.setSchema(flowSchemaOf(schema));
      else if (mandatoryFlowSchemas.has(name)) imagineSchema(flows, name);
      else flows.deleteSchema(name);
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

function imagineLevel(flows: FlowControl, name: string): void {
  const spec = mandatoryPriorityLevels.get(name);
  if (spec !== undefined) flows.setLevel(priorityLevelOf({ metadata: { name }, spec }));
}

function imagineSchema(flows: FlowControl, name: string): void {
  const spec = mandatoryFlowSchemas.get(name);
  if (spec !== undefined) flows.setSchema(flowSchemaOf({ metadata: { name }, spec }));
}

function follow<T>(
  objects: ObjectReader,
  kind: Kind<T>,
  set: (object: Decoded<T>, isThere: boolean) => void,
): () => void {
  const resource = objects.registry.byKind(kind.group, kind.kind, kind.version);
  if (resource === undefined) return () => undefined;
  for (const object of objects.list(resource)) set(decodedAs(kind, object), true);
  return objects.onChange(resource, ({ type, object }) => set(decodedAs(kind, object), type === "stored"));
}
