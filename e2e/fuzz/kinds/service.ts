import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { fuzzNamespace, type FuzzKind } from "../fuzz-kind.ts";
import { portOrName, protocol } from "./values.ts";

/** Services. */
export const service: FuzzKind = {
  apiVersion: "v1",
  kind: "Service",
  path: `/api/v1/namespaces/${fuzzNamespace}/services`,
  strategic: true,
  make: (choose) => ({ spec: serviceSpec(choose) }),
  status: (choose) =>
    choose.fields({
      loadBalancer: [
        100,
        () =>
          choose.one<JsonObject>(
            [{}, { ingress: [{ ip: "1.2.3.4" }] }, { ingress: [{ hostname: "a.b" }] }],
            [{ ingress: [{ ip: "x" }] }, { ingress: [{ ip: "1.2.3.4", ipMode: "Bad" }] }],
          ),
      ],
    }),
};

function serviceSpec(choose: Chooser): JsonObject {
  const type = choose.one(["ClusterIP", "ClusterIP", "NodePort", "LoadBalancer", "ExternalName"], ["Bad"]);
  const isHeadless = type === "ClusterIP" && choose.maybe(30);
  return {
    ...choose.fields({
      type: [type === "ClusterIP" ? 40 : 100, () => type],
      ports: [100, () => ports(choose, type)],
      selector: [60, () => choose.map([{ a: "b" }, {}, { app: "a", "x/y": "" }], [{ "a b": "c" }])],
      sessionAffinity: [15, () => choose.one(["ClientIP", "None"], ["Bad"])],
      sessionAffinityConfig: [
        4,
        () => ({ clientIP: choose.fields({ timeoutSeconds: [80, () => choose.one([10], [0, 90000])] }) }),
      ],
      internalTrafficPolicy: [
        type === "ExternalName" ? 0 : 10,
        () => choose.one(["Local", "Cluster"], ["Bad"]),
      ],
      externalIPs: [8, () => [choose.one(["1.2.3.4"], ["x", "127.0.0.1"])]],
      ipFamilyPolicy: [10, () => choose.one(["SingleStack", "PreferDualStack"], ["Bad"])],
      ipFamilies: [8, () => choose.one([["IPv4"]], [["IPv6"], ["IPv4", "IPv4"], ["Bad"]])],
      publishNotReadyAddresses: [10, () => choose.maybe()],
      trafficDistribution: [5, () => choose.one(["PreferClose"], ["Bad"])],
      ...(type === "ExternalName" ? { externalName: [100, () => choose.one(["a.b", "a"], ["A_", ""])] } : {}),
      ...(type === "ClusterIP" && {
        clusterIP: [
          isHeadless ? 100 : 12,
          () => (isHeadless ? "None" : choose.one(["10.96.0.77", ""], ["10.0.0.1", "nowhere"])),
        ],
      }),
      ...(type === "NodePort" || type === "LoadBalancer"
        ? { externalTrafficPolicy: [20, () => choose.one(["Local", "Cluster"], ["Bad"])] }
        : {}),
      ...(type === "LoadBalancer" && {
        loadBalancerClass: [20, () => choose.one(["a/b"], ["a b"])],
        loadBalancerSourceRanges: [15, () => [choose.one(["10.0.0.0/8"], ["x"])]],
        allocateLoadBalancerNodePorts: [20, () => choose.maybe()],
        loadBalancerIP: [8, () => choose.one(["1.2.3.4"], ["x"])],
      }),
    }),
    ...(choose.isFaulty &&
      choose.one<JsonObject>([
        { externalTrafficPolicy: "Local" },
        { healthCheckNodePort: 31111 },
        { loadBalancerClass: "a/b" },
        { allocateLoadBalancerNodePorts: true },
        { externalName: "a.b" },
      ])),
  };
}

function ports(choose: Chooser, type: string): readonly JsonObject[] {
  const hasNodePorts = type === "NodePort" || type === "LoadBalancer";
  const numbers: Readonly<Record<string, number>> = { a: 80, "b-2": 443, "web-1": 8080 };
  const list = choose.named(Object.keys(numbers), 3, (name) => ({
    ...choose.fields({
      name: [100, () => choose.one([name], ["", "Bad_", "x".repeat(64)])],
      port: [100, () => choose.one([numbers[name]], [0, 70000, -1])],
      protocol: [20, () => protocol(choose)],
      targetPort: [40, () => portOrName(choose)],
      appProtocol: [10, () => choose.one(["http", "a/b"], ["a b"])],
      nodePort: [hasNodePorts ? 15 : 1, () => choose.one([30_000 + name.length * 7, 0], [80])],
    }),
  }));
  const [first] = list;
  if (list.length > 1 || first === undefined || choose.maybe()) return list;
  const { name: _name, ...unnamed } = first;
  return [unnamed];
}
