import type { Clock, Uid } from "@kedge/machinery";
import { FlowSchema, PriorityLevelConfiguration } from "@kedge/machinery/kinds/flowcontrol/v1";
import { attributesOf } from "../../auth/authorize.ts";
import type { Attributes } from "../../auth/types.ts";
import { bootstrapFlows } from "../../kinds/flow-control/bootstrap-flows.ts";
import { decodedAs } from "../../registry/decoded.ts";
import type { ApiObject } from "../../registry/types.ts";
import { targetOf } from "../../request/target.ts";
import { FlowControl } from "../flow-control.ts";
import { flowSchemaOf, priorityLevelOf } from "../read-flow-objects.ts";

/** The flow control of a cluster in which nobody has changed anything; uids are the objects' names. */
export function bootstrapped(clock: Clock): FlowControl {
  const flows = new FlowControl(clock);
  for (const object of bootstrapFlows()) setObject(flows, object);
  return flows;
}

/** As if the object had been stored. */
export function setObject(flows: FlowControl, { metadata, ...object }: ApiObject): void {
  const stored = { ...object, metadata: { ...metadata, uid: (metadata.name ?? "") as Uid } };
  if (object.kind === FlowSchema.kind) flows.setSchema(flowSchemaOf(decodedAs(FlowSchema, stored)));
  else flows.setLevel(priorityLevelOf(decodedAs(PriorityLevelConfiguration, stored)));
}

/** A request of a user who is known. */
export function ask(name: string, groups: readonly string[], method: string, path: string): Attributes {
  const user = { name, groups: [...groups, "system:authenticated"] };
  return attributesOf(user, targetOf(method, path, new URLSearchParams()), path);
}

/** A limited PriorityLevelConfiguration. */
export function levelObject(name: string, limited: object): ApiObject {
  return {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "PriorityLevelConfiguration",
    metadata: { name },
    spec: { type: "Limited", limited: { limitResponse: { type: "Reject" }, ...limited } },
  };
}

/** A FlowSchema of which only what is particular is said. */
export function schemaObject(name: string, level: string, spec: object): ApiObject {
  return {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    metadata: { name },
    spec: { priorityLevelConfiguration: { name: level }, matchingPrecedence: 1000, ...spec },
  };
}

/** A rule that matches every request of some subjects. */
export function everythingOf(...subjects: readonly object[]): object {
  const all = ["*"];
  return {
    subjects,
    resourceRules: [{ verbs: all, apiGroups: all, resources: all, namespaces: all, clusterScope: true }],
    nonResourceRules: [{ verbs: all, nonResourceURLs: all }],
  };
}
