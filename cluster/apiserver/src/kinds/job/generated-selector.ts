import { Job } from "@kedge/machinery/kinds/batch/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { ApiObject } from "../../registry/types.ts";

const controllerUid = "batch.kubernetes.io/controller-uid";

/** What the pods of a job are told apart by: the old names, and those with a prefix. */
export function generatedLabels(name: string, uid: string): Readonly<Record<string, string>> {
  return {
    "controller-uid": uid,
    "job-name": name,
    [controllerUid]: uid,
    "batch.kubernetes.io/job-name": name,
  };
}

/** Gives a job a selector that selects its pods and nobody else's, unless its creator brings one. In place. */
export function generateSelector(object: ApiObject): void {
  const { metadata = {}, spec = {} } = decodedAs(Job, object);
  if (spec.manualSelector === true) return;
  const template = (spec.template ??= {});
  const meta = (template.metadata ??= {});
  // What the creator has set is kept: validation refuses it when it is something else.
  const isShared = metadata.labels !== undefined && metadata.labels === meta.labels;
  meta.labels = { ...generatedLabels(metadata.name ?? "", metadata.uid ?? ""), ...meta.labels };
  if (isShared) metadata.labels = { ...meta.labels };
  const selector = (spec.selector ??= {});
  selector.matchLabels = { [controllerUid]: metadata.uid ?? "", ...selector.matchLabels };
}
