import { finish, seededRandom } from "@kedge/machinery";
import type { NetworkPolicySpec } from "@kedge/machinery/kinds/networking/v1";
import { describe, expect, it } from "vitest";
import type { Protocol } from "../proxy/service-ports.ts";
import { planPolicies } from "./plan-policies.ts";
import { isPassed, type Packet } from "./testing/judged-by-rules.ts";
import { madeUpLabels, madeUpPolicy, madeUpPortNames } from "./testing/made-up-policies.ts";
import { isAllowed, type ModelEnd } from "./testing/model.ts";
import type { PolicyObject, PolicyPod, PolicyRules, PolicyState } from "./types.ts";

const web = pod("a", "10.0.0.11", { app: "web" });
const db = pod("a", "10.0.0.12", { app: "db" }, [{ name: "sql", protocol: "tcp", port: 5432 }]);
const other = pod("b", "10.0.1.11", { app: "web" });
const namespaces = new Map([
  ["a", { team: "x" }],
  ["b", { team: "y" }],
]);
const outside = "192.0.2.7";

describe("of the pods of a node", () => {
  it.each<[string, NetworkPolicySpec, readonly string[]]>([
    ["nobody reaches one that no rule is about", { podSelector: {}, policyTypes: ["Ingress"] }, []],
    [
      "an empty rule lets everybody in",
      { podSelector: {}, policyTypes: ["Ingress"], ingress: [{}] },
      ["tcp web", "tcp other", "tcp outside", "udp web", "udp other", "udp outside"],
    ],
    [
      "a selector of pods means those of the policy's own namespace",
      ingress([{ from: [{ podSelector: { matchLabels: { app: "web" } } }] }]),
      ["tcp web", "udp web"],
    ],
    [
      "a selector of namespaces means all pods in them",
      ingress([{ from: [{ namespaceSelector: { matchLabels: { team: "y" } } }] }]),
      ["tcp other", "udp other"],
    ],
    [
      "both together mean pods that both select",
      ingress([{ from: [{ namespaceSelector: {}, podSelector: { matchLabels: { app: "web" } } }] }]),
      ["tcp web", "tcp other", "udp web", "udp other"],
    ],
    [
      "a range means addresses, pods' too, but for its exceptions",
      ingress([{ from: [{ ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.1.0/24"] } }] }]),
      ["tcp web", "tcp outside", "udp web", "udp outside"],
    ],
    [
      "a range of the sixth version means nobody",
      ingress([{ from: [{ ipBlock: { cidr: "fd00::/8" } }] }]),
      [],
    ],
    [
      "a port is of the protocol that is named",
      ingress([{ ports: [{ port: 5432, protocol: "UDP" }] }]),
      ["udp web", "udp other", "udp outside"],
    ],
    [
      "a name of a port is the pod's own",
      ingress([{ ports: [{ port: "sql", protocol: "TCP" }] }]),
      ["tcp web", "tcp other", "tcp outside"],
    ],
    [
      "a name that the pod does not know opens nothing",
      ingress([{ ports: [{ port: "web", protocol: "TCP" }] }]),
      [],
    ],
    [
      "a range of ports has both its ends",
      ingress([{ from: [{ podSelector: {} }], ports: [{ port: 5000, endPort: 5432, protocol: "TCP" }] }]),
      ["tcp web"],
    ],
  ])("%s", (_name, spec, passed) => {
    const rules = plan({
      policies: [policy(spec)],
      pods: [web, { ...db, isLocal: true }, other],
      namespaces,
    });
    const tried = (["tcp", "udp"] as const).flatMap((protocol) =>
      Object.entries({ web, other, outside }).map(([name, from]) => ({
        name: `${protocol} ${name}`,
        packet: to(from, protocol),
      })),
    );
    const open = tried.filter(({ packet }) => isPassed(rules, "ingress", packet));
    expect(open.map(({ name }) => name)).toEqual(passed);
  });

  it("policies add up", () => {
    const rules = plan({
      policies: [
        policy({ podSelector: {}, policyTypes: ["Ingress", "Egress"] }, "closed"),
        policy(ingress([{ from: [{ podSelector: { matchLabels: { app: "web" } } }] }]), "web"),
        policy(ingress([{ from: [{ namespaceSelector: { matchLabels: { team: "y" } } }] }]), "others"),
      ],
      pods: [web, { ...db, isLocal: true }, other],
      namespaces,
    });
    expect([to(web), to(other), to(outside)].map((packet) => isPassed(rules, "ingress", packet))).toEqual([
      true,
      true,
      false,
    ]);
    expect(isPassed(rules, "egress", { from: db.address, to: web.address, protocol: "tcp", port: 80 })).toBe(
      false,
    );
  });

  it("those of other nodes are only others: nothing is made for policies that are about none of this node's", () => {
    const rules = plan({ policies: [policy(ingress([{}]))], pods: [web, db, other], namespaces });
    expect(rules).toEqual({
      sets: new Map(),
      allowed: new Map(),
      combined: new Map(),
      isolated: { ingress: new Map(), egress: new Map() },
    });
  });
});

it("decides as the specification does, whatever the policies", () => {
  let refused = 0;
  const wrong: string[] = [];
  for (let seed = 1; seed <= 250; seed++) {
    const random = seededRandom(`policies ${seed}`);
    const names = ["a", "b", "c"];
    const labelsOf = Object.fromEntries(names.map((name) => [name, madeUpLabels(random)]));
    const pods = Array.from({ length: 7 }, (_, i) => ({
      ...pod(
        names[i % 3] ?? "",
        `10.${i % 2}.0.${10 + i}`,
        madeUpLabels(random),
        madeUpPortNames
          .filter(() => random.int(3) > 0)
          .map((name) => ({
            name,
            protocol: random.int(4) > 0 ? ("tcp" as const) : ("udp" as const),
            port: 80 + random.int(3),
          })),
      ),
      node: i % 2,
    }));
    const addresses = [...pods.map(({ address }) => address), outside];
    const place = { namespaces: names, addresses, ports: [79, 80, 81, 82, 9000] };
    const policies = Array.from({ length: 1 + random.int(5) }, (_, i) =>
      madeUpPolicy(random, place, `p${i}`),
    );
    const state = { policies, namespaces: new Map(Object.entries(labelsOf)) };
    const nodes = [0, 1].map((node) =>
      plan({ ...state, pods: pods.map((one) => ({ ...one, isLocal: one.node === node })) }),
    );
    const passes = (packet: Packet): boolean =>
      nodes.every((rules) => isPassed(rules, "egress", packet) && isPassed(rules, "ingress", packet));
    const ends: readonly ModelEnd[] = [...pods.map(modelEnd), { address: outside }];
    for (const from of ends)
      for (const end of ends)
        for (const protocol of ["tcp", "udp", "sctp"] as const)
          for (const port of place.ports) {
            const expected = isAllowed(
              { policies, namespaces: labelsOf },
              { from, to: end, protocol: protocol.toUpperCase(), port },
            );
            if (!expected) refused += 1;
            const packet = { from: from.address, to: end.address, protocol, port };
            if (passes(packet) !== expected)
              wrong.push(
                `seed ${seed}: ${JSON.stringify(packet)} should be ${expected ? "" : "not "}allowed`,
              );
          }
  }
  expect(wrong.slice(0, 5)).toEqual([]);
  // A test of nothing but allowed connections would prove nothing.
  expect(refused).toBeGreaterThan(50_000);
});

function plan(state: PolicyState): PolicyRules {
  return finish(planPolicies(state));
}

function pod(
  namespace: string,
  address: string,
  labels: Record<string, string>,
  ports: PolicyPod["ports"] = [],
): PolicyPod {
  return { uid: address, namespace, labels, address, isLocal: false, ports };
}

function modelEnd({ address, namespace, labels, ports }: PolicyPod): ModelEnd {
  return {
    address,
    pod: {
      namespace,
      labels,
      ports: ports.map((port) => ({ ...port, protocol: port.protocol.toUpperCase() })),
    },
  };
}

/** A connection to the database. */
function to(from: PolicyPod | string, protocol: Protocol = "tcp"): Packet {
  return { from: typeof from === "string" ? from : from.address, to: db.address, protocol, port: 5432 };
}

function ingress(rules: NetworkPolicySpec["ingress"]): NetworkPolicySpec {
  return { podSelector: { matchLabels: { app: "db" } }, policyTypes: ["Ingress"], ingress: rules };
}

function policy(spec: NetworkPolicySpec, name = "p"): PolicyObject {
  return { metadata: { name, namespace: "a" }, spec };
}
