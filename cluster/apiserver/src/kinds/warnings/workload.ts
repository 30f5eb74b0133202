import { deepEqual, fieldPath } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { sentAs } from "../sent.ts";
import { podSpecWarnings } from "./pod.ts";

/** What is odd about the template of a workload, when it is new. All workloads hold it in the same place. */
export function workloadWarnings(
  object: StoredApiObject,
  previous: StoredApiObject | undefined,
): readonly string[] {
  const template = sentAs(Deployment, object).spec?.template;
  const before = previous === undefined ? undefined : sentAs(Deployment, previous).spec?.template;
  if (previous !== undefined && deepEqual(template, before)) return [];
  return podSpecWarnings(template?.spec ?? {}, fieldPath("spec", "template", "spec"));
}
