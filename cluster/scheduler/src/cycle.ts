import type { DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Profile } from "./profile.ts";
import type { OwnerSelectors } from "./view/owner-selectors.ts";
import type { NamespaceLabels } from "./view/affinity-term.ts";
import type { ClusterView } from "./view/cluster-view.ts";
import type { PodInfo } from "./view/pod-info.ts";
import type { VolumeCatalog } from "./volumes/volume-catalog.ts";

/** All that is looked at to place one pod. */
export interface Cycle {
  readonly pod: DeepReadonly<Pod>;
  readonly info: PodInfo;
  readonly profile: Profile;
  readonly view: ClusterView;
  readonly namespaceLabels: NamespaceLabels;
  readonly volumes: VolumeCatalog;
  readonly owners: OwnerSelectors;
}
