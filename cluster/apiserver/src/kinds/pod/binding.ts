import {
  badRequest,
  conflict,
  fieldErrorsText,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  formatTime,
  statusFailure,
  type FieldError,
  type StatusError,
} from "@kedge/machinery";
import { Binding, Pod } from "@kedge/machinery/kinds/core/v1";
import type { ActionSubresource, ApiObject, PartSubresource, WriteContext } from "../../registry/types.ts";
import { labelsOf } from "../../registry/label-selector.ts";
import { servedPods } from "./served-pods.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { keepMeta } from "../status.ts";
import { success } from "./success.ts";

/** `pods/binding`: the scheduler gives a pod its node. Once. */
export function bindingAction(): ActionSubresource {
  return {
    type: "action",
    body: { group: "", version: "v1", kind: "Binding" },
    run: async (key, body, context) => {
      const binding = decodedAs(Binding, body);
      if ((binding.metadata?.name ?? "") !== key.name)
        throw badRequest("name in URL does not match name in Binding object");
      const errors = bindingErrors(binding);
      if (errors.length > 0) throw notAStatus(fieldErrorsText(errors));
      await context.objects.update(
        servedPods(context.objects),
        key,
        (object) => {
          bind(object, binding, context);
          return true;
        },
        { part: anyChange, isTracked: false, dryRun: context.dryRun, user: context.user, isAdmitted: true },
      );
      return { status: 201, object: success(201) };
    },
  };
}

/** Writes what no request may write. Nobody owns it afterwards: Kubernetes keeps no account of bindings. */
const anyChange: PartSubresource = {
  type: "part",
  verbs: ["update"],
  prepareForUpdate: (object, previous) => keepMeta(object, previous, ["managedFields"]),
  validate: () => [],
};

function bindingErrors({ target }: Decoded<Binding>): FieldError[] {
  const errors: FieldError[] = [];
  const path = fieldPath("target");
  const kind = target?.kind ?? "";
  if (kind !== "" && kind !== "Node")
    errors.push(fieldNotSupported(path.child("kind"), kind, ["Node", "<empty>"]));
  if ((target?.name ?? "") === "") errors.push(fieldRequired(path.child("name")));
  return errors;
}

function bind(object: ApiObject, binding: Decoded<Binding>, { clock }: WriteContext): void {
  const pod = decodedAs(Pod, object);
  const name = pod.metadata?.name ?? "";
  const why = refusal(pod, binding);
  if (why !== undefined) throw conflict({ group: "", plural: "pods/binding" }, name, why);
  const spec = (pod.spec ??= {});
  spec.nodeName = binding.target?.name;
  const status = (pod.status ??= {});
  delete status.nominatedNodeName;
  const others = status.conditions?.filter((condition) => condition.type !== "PodScheduled") ?? [];
  const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: formatTime(clock.now()) };
  status.conditions = [...others, scheduled];
  const { labels, annotations } = binding.metadata ?? {};
  if (labels !== undefined) object.metadata.labels = { ...object.metadata.labels, ...labelsOf(labels) };
  if (annotations !== undefined)
    object.metadata.annotations = { ...object.metadata.annotations, ...labelsOf(annotations) };
}

function refusal(pod: Decoded<Pod>, { metadata }: Decoded<Binding>): string | undefined {
  const { name = "", uid = "", deletionTimestamp } = pod.metadata ?? {};
  if (metadata?.uid !== undefined && metadata.uid !== uid)
    return `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`;
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if ((pod.spec?.nodeName ?? "") !== "")
    return `pod ${name} is already assigned to node ${JSON.stringify(pod.spec?.nodeName)}`;
  if ((pod.spec?.schedulingGates ?? []).length > 0) return `pod ${name} has non-empty .spec.schedulingGates`;
  return undefined;
}

/** Kubernetes lets these errors through as they are: a 500 without a reason. */
function notAStatus(message: string): StatusError {
  return statusFailure({ message, code: 500 });
}
