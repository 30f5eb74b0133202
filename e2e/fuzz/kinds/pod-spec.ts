import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { container } from "./container.ts";
import { placement } from "./placement.ts";
import { volume } from "./volume.ts";

/** The spec of a pod. */
export function podSpec(choose: Chooser, { template = false } = {}): JsonObject {
  const volumes = choose.maybe(40)
    ? choose.named(["v", "w", "x-1"], 3, (name) => volume(choose, choose.one([name], ["", "Bad_"])))
    : [];
  const names = volumes.flatMap(({ name }) => (typeof name === "string" ? [name] : []));
  const containers = (init: boolean) => (name: string) =>
    container(choose, {
      name: choose.one([name], ["Bad_1", "", "a.b", "x".repeat(64)]),
      init,
      volumes: names,
    });
  return {
    ...choose.fields({
      containers: [100, () => choose.named(["a", "b", "web"], 2, containers(false))],
      initContainers: [15, () => choose.named(["i", "j"], 2, containers(true))],
      // Policies other than Always are for pods and jobs.
      restartPolicy: [
        15,
        () =>
          template
            ? choose.one(["Always"], ["Never", "Bad"])
            : choose.one(["Always", "Never", "OnFailure"], ["Bad"]),
      ],
      dnsPolicy: [
        10,
        () => choose.one(["Default", "ClusterFirst", "ClusterFirstWithHostNet"], ["None", "Bad"]),
      ],
      dnsConfig: [10, () => dnsConfig(choose)],
      terminationGracePeriodSeconds: [15, () => choose.one([0, 60], [-1])],
      activeDeadlineSeconds: [template ? 2 : 8, () => choose.one([5], [0, -1])],
      hostNetwork: [5, () => choose.maybe()],
      hostPID: [4, () => choose.maybe()],
      hostUsers: [3, () => choose.one([true], [false])],
      hostname: [8, () => choose.one(["a", "b"], ["Bad_", "a.b", "x".repeat(64)])],
      subdomain: [8, () => choose.one(["a"], ["Bad_"])],
      setHostnameAsFQDN: [4, () => choose.maybe()],
      hostAliases: [
        8,
        () => [
          { ip: choose.one(["1.2.3.4", "::1"], ["x", ""]), hostnames: [choose.one(["h", "a.b"], ["H_"])] },
        ],
      ],
      serviceAccountName: [6, () => "default"],
      serviceAccount: [3, () => "default"],
      automountServiceAccountToken: [10, () => choose.maybe()],
      imagePullSecrets: [8, () => [{ name: choose.one(["a", "b"], [""]) }]],
      securityContext: [15, () => securityContext(choose)],
      readinessGates: [4, () => [{ conditionType: choose.one(["a/b"], ["a b"]) }]],
      shareProcessNamespace: [4, () => choose.maybe()],
      enableServiceLinks: [6, () => choose.maybe()],
      os: [4, () => ({ name: choose.one(["linux"], ["bsd", ""]) })],
    }),
    ...(volumes.length > 0 && { volumes }),
    ...placement(choose),
  };
}

function dnsConfig(choose: Chooser): JsonObject {
  return choose.fields({
    nameservers: [70, () => choose.list(3, () => choose.one(["1.1.1.1", "::1"], ["x"]))],
    searches: [40, () => [choose.one(["a.b", "."], ["A_"])]],
    options: [30, () => [choose.fields({ name: [100, () => "ndots"], value: [70, () => "2"] })]],
  });
}

function securityContext(choose: Chooser): JsonObject {
  return choose.fields({
    fsGroup: [40, () => choose.one([1, 0], [-1])],
    runAsUser: [40, () => choose.one([1, 0], [-1])],
    runAsNonRoot: [20, () => choose.maybe()],
    supplementalGroups: [20, () => [choose.one([1], [-5])]],
    fsGroupChangePolicy: [20, () => choose.one(["Always", "OnRootMismatch"], ["Bad"])],
    supplementalGroupsPolicy: [10, () => choose.one(["Merge", "Strict"], ["Bad"])],
    sysctls: [15, () => [{ name: choose.one(["kernel.shm_rmid_forced", "net.a/b"], ["a..b"]), value: "1" }]],
    seccompProfile: [
      15,
      () => choose.one([{ type: "RuntimeDefault" }, { type: "Unconfined" }], [{ type: "Localhost" }]),
    ],
  });
}
