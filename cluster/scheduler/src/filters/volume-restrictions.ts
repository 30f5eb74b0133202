import type { DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Cycle } from "../cycle.ts";
import type { PodInfo } from "../view/pod-info.ts";
import { claimNamesOf } from "../volumes/pod-claims.ts";
import { obstacle, type Filter, type PreparedFilter } from "./types.ts";

type PodVolume = NonNullable<DeepReadonly<Pod>["spec"]["volumes"]>[number];

const plugin = "VolumeRestrictions";
const inUse = obstacle(plugin, "node(s) had no available disk", "by others");
const notAlone = obstacle(
  plugin,
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
  "by others",
);

/** Nodes where a pod has a disk that only one may have, and claims that only one pod of the cluster may use. */
export const volumeRestrictions: Filter = {
  name: plugin,
  prepare(cycle) {
    const { pod, volumes } = cycle;
    const alone = new Set<string>();
    for (const { name, isEphemeral } of claimNamesOf(pod)) {
      if (isEphemeral) continue;
      const claim = volumes.claim(pod.metadata.namespace, name);
      if (claim === undefined) return { rejected: `persistentvolumeclaim "${name}" not found` };
      if (claim.spec?.accessModes?.includes("ReadWriteOncePod") === true) alone.add(name);
    }
    const disks = (pod.spec.volumes ?? []).filter(isDisk);
    const users = usersOf(alone, cycle);
    if (disks.length === 0 && users === 0) return undefined;
    return restricted(cycle, { alone, disks, users });
  },
  events: ["pod-removed", "node-added", "claim-added"],
  mayHelp(event, waiting) {
    if (event.type === "node-added") return true;
    if (event.type === "claim-added") {
      const { namespace, name } = event.claim.metadata;
      return waiting.claims.includes(`${namespace}/${name}`);
    }
    if (event.type !== "pod-removed" || event.pod.namespace !== waiting.namespace) return false;
    const disks = (waiting.pod.spec.volumes ?? []).filter(isDisk);
    return clash(disks, event.pod) || event.pod.claims.some((claim) => waiting.claims.includes(claim));
  },
};

interface Restrictions {
  readonly alone: ReadonlySet<string>;
  readonly disks: readonly PodVolume[];
  readonly users: number;
}

function restricted(cycle: Cycle, { alone, disks, users }: Restrictions): PreparedFilter {
  let count = users;
  return {
    check(node) {
      for (const other of disks.length === 0 ? [] : node.pods.values()) if (clash(disks, other)) return inUse;
      return count > 0 ? notAlone : undefined;
    },
    change({ pod, namespace }, _node, by) {
      if (namespace !== cycle.info.namespace) return;
      count +=
        by * claimNamesOf(pod).filter(({ name, isEphemeral }) => !isEphemeral && alone.has(name)).length;
    },
    clone: () => restricted(cycle, { alone, disks, users: count }),
  };
}

/** How many of these claims some pod with a node uses. */
function usersOf(claims: ReadonlySet<string>, { info, view }: Cycle): number {
  let count = 0;
  for (const name of claims) if (view.usersOfClaim(`${info.namespace}/${name}`) > 0) count++;
  return count;
}

function isDisk({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }: PodVolume): boolean {
  return [gcePersistentDisk, awsElasticBlockStore, iscsi, rbd].some((disk) => disk !== undefined);
}

function clash(disks: readonly PodVolume[], { pod }: PodInfo): boolean {
  return disks.some((disk) => (pod.spec.volumes ?? []).some((other) => isSameDisk(disk, other)));
}

interface Readable {
  readonly readOnly?: boolean | undefined;
}

function areRead(one: Readable, other: Readable): boolean {
  return one.readOnly === true && other.readOnly === true;
}

/** Whether two volumes are one disk, and not both only read it where that is allowed. */
function isSameDisk(one: PodVolume, other: PodVolume): boolean {
  const { gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd } = one;
  const { gcePersistentDisk: gce2, awsElasticBlockStore: aws2, iscsi: iscsi2, rbd: rbd2 } = other;
  if (gce !== undefined && gce2 !== undefined && gce.pdName === gce2.pdName && !areRead(gce, gce2))
    return true;
  if (aws !== undefined && aws2 !== undefined && aws.volumeID === aws2.volumeID) return true;
  if (iscsi !== undefined && iscsi2 !== undefined && iscsi.iqn === iscsi2.iqn && !areRead(iscsi, iscsi2)) {
    return true;
  }
  return (
    rbd !== undefined &&
    rbd2 !== undefined &&
    rbd.monitors.some((monitor) => rbd2.monitors.includes(monitor)) &&
    (rbd.pool ?? "rbd") === (rbd2.pool ?? "rbd") &&
    rbd.image === rbd2.image &&
    !areRead(rbd, rbd2)
  );
}
