import type { FuzzKind } from "./fuzz-kind.ts";
import { accessKinds } from "./kinds/access.ts";
import { autoscaler } from "./kinds/autoscaler.ts";
import { gadget } from "./kinds/gadget.ts";
import { ingresses } from "./kinds/ingress.ts";
import { networkPolicy } from "./kinds/network-policy.ts";
import { pod } from "./kinds/pod.ts";
import { service } from "./kinds/service.ts";
import { smallKinds } from "./kinds/small.ts";
import { volumes } from "./kinds/volumes.ts";
import { workloads } from "./kinds/workloads.ts";

/** The kinds whose objects are made up. */
export const fuzzKinds: readonly FuzzKind[] = [
  pod,
  ...workloads,
  service,
  autoscaler,
  ...volumes,
  ...smallKinds,
  networkPolicy,
  ...ingresses,
  ...accessKinds,
  gadget,
];
