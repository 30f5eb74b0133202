import { clone, controllerReference, type DeepReadonly, type Draft, type Uid } from "@kedge/machinery";
import type { Pod, PodTemplateSpec } from "@kedge/machinery/kinds/core/v1";

/** The object whose pods these are. */
export interface PodOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: Uid };
}

/** What the new pod is called: a name, or the beginning of one. */
export type PodName = { readonly name: string } | { readonly generateName: string };

/** A pod by a template, controlled by its owner. It may be changed. */
export function podFromTemplate(
  template: DeepReadonly<PodTemplateSpec>,
  owner: PodOwner,
  name: PodName,
): Draft<Pod> & { metadata: { labels: Record<string, string> } } {
  const { labels, annotations, finalizers } = clone(template.metadata ?? {});
  return {
    metadata: {
      ...name,
      namespace: owner.metadata.namespace,
      labels: { ...labels },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: clone(template.spec ?? { containers: [] }),
  };
}
