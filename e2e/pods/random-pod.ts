import type { PodSpec } from "@kedge/machinery/kinds/core/v1";
import type { Chooser } from "../fuzz/chooser.ts";
import { container } from "./random-container.ts";
import { volume, type VolumeSources } from "./random-volume.ts";

/** A pod that the API server takes. What its node makes of it is another matter. */
export function randomPod(choose: Chooser, sources: VolumeSources): PodSpec {
  const volumes = choose.list(3, () => "").map((_, index) => volume(choose, `v${index}`, sources));
  const names = volumes.map(({ name }) => name);
  const containers = (role: "main" | "init" | "sidecar", most: number, least = 0) =>
    choose
      .list(most, () => "", least)
      .map((_, index) => container(choose, { name: `${role}-${index}`, role, volumes: names }));
  const before = choose.maybe(30) ? [...containers("init", 2), ...containers("sidecar", 1)] : [];
  const hostNetwork = choose.maybe(8);
  return {
    terminationGracePeriodSeconds: choose.one([1, 1, 2, 3]),
    containers: containers("main", 2, 1),
    ...(before.length > 0 && { initContainers: before }),
    ...(volumes.length > 0 && { volumes }),
    restartPolicy: choose.one(["Always", "OnFailure", "Never"]),
    ...(hostNetwork && { hostNetwork }),
    ...(choose.maybe(6) &&
      choose.one<Partial<PodSpec>>([
        { hostPID: true },
        { hostIPC: true },
        { shareProcessNamespace: true },
        ...(hostNetwork ? [] : [{ hostUsers: false }]),
      ])),
    ...(choose.maybe(8) && { activeDeadlineSeconds: choose.one([1, 3]) }),
    ...(choose.maybe(10) && { hostname: "someone", subdomain: "somewhere" }),
    ...(choose.maybe(10) && { hostAliases: [{ ip: "192.0.2.7", hostnames: ["else.where"] }] }),
    ...(choose.maybe(10) && {
      dnsPolicy: choose.one(["Default", "None", "ClusterFirstWithHostNet"]),
      dnsConfig: { nameservers: ["192.0.2.53"], options: [{ name: "ndots", value: "2" }] },
    }),
    ...(choose.maybe(20) && { automountServiceAccountToken: false }),
    ...(choose.maybe(5) && { readinessGates: [{ conditionType: "example.com/never" }] }),
    ...(choose.maybe(25) && {
      securityContext: choose.one<NonNullable<PodSpec["securityContext"]>>([
        { fsGroup: 777 },
        { fsGroup: 777, fsGroupChangePolicy: "OnRootMismatch", runAsUser: 1234 },
        { runAsNonRoot: true, runAsUser: 1234, supplementalGroups: [5, 6] },
        { seccompProfile: { type: "RuntimeDefault" } },
      ]),
    }),
    ...(choose.maybe(2) && {
      securityContext: { sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }] },
    }),
  };
}
