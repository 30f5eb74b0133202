import { deepEqual, formatTime } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { PodStatus } from "@kedge/machinery/kinds/core/v1";
import type { PodConnects } from "../../node-proxy/types.ts";
import type {
  ApiObject,
  ConnectSubresource,
  StoredApiObject,
  Strategy,
  WriteContext,
} from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { keepStatus, statusPart } from "../status.ts";
import { validatePod } from "./validation.ts";
import { validatePodStatus } from "./status-validation.ts";
import { validatePodUpdate } from "./update-validation.ts";
import { podWarnings } from "../pod-spec/warnings.ts";
import { bindingAction } from "./binding.ts";
import { ephemeralContainersPart } from "./ephemeral-containers.ts";
import { evictionAction } from "./eviction.ts";
import { qosClass } from "./qos-class.ts";
import { resizePart } from "./resize.ts";
import { podPrinter } from "./printer.ts";

/** Pods. `connects` lead to their node: log, exec, attach, portforward; `proxy` to themselves. */
export function podDefinition(
  connects: PodConnects | undefined,
  proxy: ConnectSubresource | undefined,
): KindDefinition {
  return {
    kind: Pod,
    printer: podPrinter,
    strategy,
    subresources: {
      status: statusPart({
        keepMetadata: ["deletionTimestamp", "ownerReferences"],
        prepare: keepFromStatus,
        validateUpdate: validatePodStatus,
      }),
      binding: bindingAction(),
      eviction: evictionAction(),
      ephemeralcontainers: ephemeralContainersPart(),
      resize: resizePart(),
      ...connects,
      ...(proxy !== undefined && { proxy }),
    },
  };
}

const strategy: Omit<Strategy, "default"> = {
  prepareForCreate,
  prepareForUpdate: keepStatus,
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  warnings: podWarnings,
  selectableFieldNames: [
    "spec.nodeName",
    "spec.host",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
  ],
  selectableFields,
  generation: hasNewSpec,
  gracePeriod,
  deleteAnswersObject: true,
};

function prepareForCreate(object: ApiObject, { clock }: WriteContext): void {
  const pod = decodedAs(Pod, object);
  const spec = (pod.spec ??= {});
  const status: Decoded<PodStatus> = { phase: "Pending", qosClass: qosClass(spec) };
  if ((spec.schedulingGates ?? []).length > 0) {
    const message = "Scheduling is blocked due to non-empty scheduling gates";
    const lastTransitionTime = formatTime(clock.now());
    status.conditions = [
      { type: "PodScheduled", status: "False", reason: "SchedulingGated", message, lastTransitionTime },
    ];
  }
  pod.status = status;
}

function selectableFields(object: StoredApiObject): Readonly<Record<string, string>> {
  const { spec, status } = decodedAs(Pod, object);
  return {
    "spec.nodeName": spec?.nodeName ?? "",
    // The name of the field before version 1.
    "spec.host": spec?.nodeName ?? "",
    "spec.restartPolicy": spec?.restartPolicy ?? "",
    "spec.schedulerName": spec?.schedulerName ?? "",
    "spec.serviceAccountName": spec?.serviceAccountName ?? "",
    "spec.hostNetwork": String(spec?.hostNetwork ?? false),
    "status.phase": status?.phase ?? "",
    "status.podIP": status?.podIP ?? "",
    // Kubernetes takes it and has no value for it.
    "status.podIPs": "",
    "status.nominatedNodeName": status?.nominatedNodeName ?? "",
  };
}

/** To be bound to a node is no change of the spec: no user can write that field. */
function hasNewSpec(object: StoredApiObject, previous: StoredApiObject): boolean {
  const nodeName = undefined;
  return !deepEqual(
    { ...decodedAs(Pod, object).spec, nodeName },
    { ...decodedAs(Pod, previous).spec, nodeName },
  );
}

function gracePeriod(object: StoredApiObject, asked: number | undefined): number {
  const { spec, status } = decodedAs(Pod, object);
  // Nobody has to stop what runs nowhere.
  if ((spec?.nodeName ?? "") === "") return 0;
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return 0;
  const period = asked ?? spec?.terminationGracePeriodSeconds ?? 0;
  return period < 0 ? 1 : period;
}

/** What an older node agent leaves out stays: the class was found at creation, and generations only grow. */
function keepFromStatus(object: ApiObject, previous: StoredApiObject): void {
  const status = (decodedAs(Pod, object).status ??= {});
  const before = decodedAs(Pod, previous).status;
  status.qosClass ??= before?.qosClass;
  status.observedGeneration ??= before?.observedGeneration;
  // Of several of a type, the first counts.
  const known = new Map((before?.conditions ?? []).toReversed().map((each) => [each.type, each]));
  for (const condition of status.conditions ?? []) {
    condition.observedGeneration ??= known.get(condition.type)?.observedGeneration;
  }
}
