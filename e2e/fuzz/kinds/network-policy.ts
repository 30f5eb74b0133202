import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { fuzzNamespace, type FuzzKind } from "../fuzz-kind.ts";
import { portOrName, protocol } from "./values.ts";

/**
 * NetworkPolicies: rules of both directions with all sorts of peers and ports. No list or map is empty: the real server
 * counts one as another generation, though it does not show it.
 */
export const networkPolicy: FuzzKind = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  path: `/apis/networking.k8s.io/v1/namespaces/${fuzzNamespace}/networkpolicies`,
  strategic: true,
  make: (choose) => ({
    spec: choose.fields({
      podSelector: [100, () => selector(choose)],
      policyTypes: [
        50,
        () =>
          choose.one(
            [["Ingress"], ["Egress"], ["Ingress", "Egress"], ["Egress", "Ingress"], ["Egress", "Egress"]],
            [["Sideways"], ["ingress"], ["Ingress", "Egress", "Ingress"], [""]],
          ),
      ],
      ingress: [60, () => choose.list(2, () => rule(choose, "from"), 1)],
      egress: [60, () => choose.list(2, () => rule(choose, "to"), 1)],
    }),
  }),
};

function rule(choose: Chooser, side: "from" | "to"): JsonObject {
  return choose.fields({
    ports: [60, () => choose.list(2, () => port(choose), 1)],
    [side]: [70, () => choose.list(2, () => peer(choose), 1)],
  });
}

function port(choose: Chooser): JsonObject {
  return choose.fields({
    protocol: [60, () => protocol(choose)],
    port: [80, () => portOrName(choose)],
    endPort: [25, () => choose.one([80, 8080, 9000, 65535], [0, 1, 70000])],
  });
}

function peer(choose: Chooser): JsonObject {
  return choose.one<() => JsonObject>(
    [
      () => ({ podSelector: selector(choose) }),
      () => ({ namespaceSelector: selector(choose) }),
      () => ({ podSelector: selector(choose), namespaceSelector: selector(choose) }),
      () => ({ ipBlock: ipBlock(choose) }),
    ],
    [() => ({}), () => ({ podSelector: {}, ipBlock: ipBlock(choose) })],
  )();
}

function ipBlock(choose: Chooser): JsonObject {
  return choose.fields({
    cidr: [
      100,
      () =>
        choose.one(
          ["10.0.0.0/8", "0.0.0.0/0", "10.1.2.3/32", "fd00::/8", "::/0", "FD00:0:0::/48", "2001:db8:0::/64"],
          [
            "",
            "x",
            "10.0.0.0",
            "10.0.0.5/8",
            "010.0.0.0/8",
            "10.0.0.0/08",
            "::ffff:10.0.0.0/104",
            "10.0.0.0/33",
          ],
        ),
    ],
    except: [
      40,
      () =>
        choose.list(
          2,
          () =>
            choose.one(
              ["10.1.0.0/16", "10.2.0.0/24", "fd00::/64"],
              ["x", "", "10.0.0.0/8", "192.168.0.0/16", "10.1.0.7/16", "fe80::1%eth0/64"],
            ),
          1,
        ),
    ],
  });
}

function selector(choose: Chooser): JsonObject {
  return choose.fields({
    matchLabels: [
      60,
      () => choose.map([{ app: "a" }, { app: "b", tier: "" }], [{ "a b": "c" }, { app: "y z" }]),
    ],
    matchExpressions: [
      20,
      () => [
        {
          key: choose.one(["app", "x/y"], ["a b", ""]),
          ...choose.one<JsonObject>(
            [
              { operator: "In", values: ["a", "b"] },
              { operator: "Exists" },
              { operator: "NotIn", values: ["c"] },
            ],
            [{ operator: "Like" }, { operator: "In" }, { operator: "Exists", values: ["a"] }],
          ),
        },
      ],
    ],
  });
}
