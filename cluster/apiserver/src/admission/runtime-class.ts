import { deepEqual } from "@kedge/machinery";
import { Pod, type Toleration } from "@kedge/machinery/kinds/core/v1";
import { RuntimeClass } from "@kedge/machinery/kinds/node/v1";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import { lookUp } from "../registry/lookup.ts";
import type { Objects, StoredApiObject } from "../registry/types.ts";
import { isAbout, refusal } from "./request.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./types.ts";

/** Gives new pods what their runtime class costs, and the nodes that have it. */
export const runtimeClass: AdmissionPlugin = {
  name: "RuntimeClass",
  operations: ["CREATE"],
  admit: (request, { objects }) => {
    const { object } = request;
    if (object === undefined || !isAbout(request, Pod)) return;
    const pod = decodedAs(Pod, object);
    const found = classOf(request, pod, objects);
    if (found === undefined) return;
    const spec = (pod.spec ??= {});
    const overhead = found.overhead?.podFixed;
    if (found.overhead !== undefined) {
      if (spec.overhead !== undefined && !deepEqual(spec.overhead, overhead ?? {}))
        throw refusal(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
      if (overhead !== undefined) spec.overhead = { ...overhead };
    }
    const { nodeSelector, tolerations } = found.scheduling ?? {};
    if (nodeSelector !== undefined) spec.nodeSelector = merged(request, nodeSelector, spec.nodeSelector);
    if (tolerations !== undefined) spec.tolerations = withTolerations(spec.tolerations ?? [], tolerations);
  },
  validate: (request, { objects }) => {
    const { object } = request;
    if (object === undefined || !isAbout(request, Pod)) return;
    const pod = decodedAs(Pod, object);
    const { overhead = {} } = pod.spec ?? {};
    const found = classOf(request, pod, objects);
    if (found?.overhead !== undefined) {
      if (!deepEqual(overhead, found.overhead.podFixed ?? {}))
        throw refusal(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
      return;
    }
    if (Object.keys(overhead).length === 0) return;
    throw refusal(
      request,
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    );
  },
};

function classOf(
  request: AdmissionRequest<StoredApiObject>,
  { spec }: Decoded<Pod>,
  objects: Objects,
): Decoded<RuntimeClass> | undefined {
  const { runtimeClassName: name = "" } = spec ?? {};
  if (name === "") return undefined;
  const found = lookUp(objects, RuntimeClass, { name });
  if (found !== undefined) return found;
  throw refusal(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
}

type Labels = Readonly<Record<string, string | undefined>>;

function merged(request: AdmissionRequest, wanted: Labels, own: Labels = {}): Record<string, string> {
  for (const [key, value = ""] of Object.entries(wanted)) {
    const found = own[key];
    if (found === undefined || found === value) continue;
    const conflict = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${found}`;
    throw refusal(request, `conflict: ${conflict}`);
  }
  const all = [...Object.entries(own), ...Object.entries(wanted)];
  return Object.fromEntries(all.map(([key, value = ""]) => [key, value]));
}

/** Those of the pod, and those of the class that tolerate more. */
function withTolerations(
  own: readonly Decoded<Toleration>[],
  wanted: readonly Decoded<Toleration>[],
): Decoded<Toleration>[] {
  const all = [...own];
  for (const toleration of wanted) {
    if (!all.some((each) => deepEqual(each, toleration))) all.push({ ...toleration });
  }
  return all;
}
