import type { DeepReadonly, Uid } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { byController, type Reader, type ReconcileContext } from "@kedge/runtime";

/** The pods that an object controls, in the order of their names. */
export function ownedPods(
  context: Pick<ReconcileContext<unknown>, "read">,
  owner: { readonly metadata: { readonly uid: Uid } },
): readonly DeepReadonly<Pod>[] {
  const pods: Reader<Pod> = context.read(Pod);
  return pods
    .byIndex(byController, owner.metadata.uid)
    .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
}
