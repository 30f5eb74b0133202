import { finish } from "@kedge/machinery";
import type { NetworkPolicySpec } from "@kedge/machinery/kinds/networking/v1";
import { describe, expect, it } from "vitest";
import { planPolicies } from "./plan-policies.ts";
import { tableAnew, tableChange, tableRemains } from "./policy-table.ts";
import type { PolicyPod, PolicyRules } from "./types.ts";

const network = {
  id: "3fa9c1",
  podRange: "10.244.0.0/16",
  podCIDR: "10.244.0.0/24",
  serviceRange: "10.96.0.0/16",
  domain: "cluster.local",
};
const place = { network, resolvers: ["10.244.1.1"] };

const spec: NetworkPolicySpec = {
  podSelector: { matchLabels: { app: "db" } },
  policyTypes: ["Ingress", "Egress"],
  ingress: [
    {
      from: [{ podSelector: { matchLabels: { app: "web" } } }, { ipBlock: { cidr: "192.0.2.0/24" } }],
      ports: [
        { port: 80, endPort: 90, protocol: "TCP" },
        { port: 85, endPort: 99, protocol: "TCP" },
        { port: "sql", protocol: "TCP" },
        { protocol: "UDP" },
      ],
    },
  ],
};

it("a table has the rules of isolated pods, and lets pass what is under way, resolvers and a pod's way to itself", () => {
  expect(withoutDigests(tableAnew(rulesOf([pod("db", 11, true), pod("web", 12)]), place)))
    .toMatchInlineSnapshot(`
    "add table ip T
    delete table ip T
    table ip T {
      set ports-X {
        type ipv4_addr . inet_service
        elements = { 10.244.0.11 . 5432 }
      }
      set pods-X {
        type ipv4_addr
        elements = { 10.244.0.12 }
      }
      set ranges-X {
        type ipv4_addr; flags interval
        elements = { 192.0.2.0-192.0.2.255 }
      }
      chain refused {
        meta l4proto tcp reject with tcp reset
        reject with icmp type admin-prohibited
      }
      chain policy-X {
        ip saddr @pods-X tcp dport { 80-99 } accept
        ip saddr @pods-X ip daddr . tcp dport @ports-X accept
        ip saddr @pods-X meta l4proto udp accept
        ip saddr @ranges-X tcp dport { 80-99 } accept
        ip saddr @ranges-X ip daddr . tcp dport @ports-X accept
        ip saddr @ranges-X meta l4proto udp accept
      }
      chain policy-X {
      }
      chain pod-X {
        jump policy-X
        goto refused
      }
      chain pod-X {
        jump policy-X
        goto refused
      }
      map ingress {
        type ipv4_addr : verdict
        elements = { 10.244.0.11 : goto pod-X }
      }
      map egress {
        type ipv4_addr : verdict
        elements = { 10.244.0.11 : goto pod-X }
      }
      set themselves {
        type ipv4_addr . ipv4_addr
        elements = { 10.244.0.11 . 10.244.0.11 }
      }
      chain inward {
        ip daddr vmap @ingress
        accept
      }
      chain forward {
        type filter hook forward priority filter - 5;
        ct state related accept
        ct state established ct direction reply accept
        ct state established meta l4proto != udp accept
        ip saddr . ip daddr @themselves accept
        ip daddr { 10.244.1.1 } meta l4proto { tcp, udp } th dport 53 goto inward
        ip saddr vmap @egress
        goto inward
      }
      chain prerouting {
        type filter hook prerouting priority raw;
        iifname "kd3fa9c1*" fib saddr . iif oif missing drop
      }
    }
    "
  `);
});

describe("a change", () => {
  const before = rulesOf([pod("db", 11, true), pod("web", 12), ...crowd(500)]);

  it.each<[string, PolicyRules, readonly string[]]>([
    ["none, where nothing is different", rulesOf([pod("db", 11, true), pod("web", 12), ...crowd(500)]), []],
    [
      "one element, for another pod that is allowed",
      rulesOf([pod("db", 11, true), pod("web", 12), pod("web", 13), ...crowd(500)]),
      ["add element ip T pods-X { 10.244.0.13 }"],
    ],
    [
      "one element, for one that is not allowed any more",
      rulesOf([pod("db", 11, true), pod("other", 12), ...crowd(500)]),
      ["delete element ip T pods-X { 10.244.0.12 }"],
    ],
    [
      "what isolates one more pod",
      rulesOf([pod("db", 11, true), pod("db", 14, true), pod("web", 12), ...crowd(500)]),
      [
        "add element ip T ports-X { 10.244.0.14 . 5432 }",
        "add element ip T ingress { 10.244.0.14 : goto pod-X }",
        "add element ip T egress { 10.244.0.14 : goto pod-X }",
        "add element ip T themselves { 10.244.0.14 . 10.244.0.14 }",
      ],
    ],
  ])("is %s", (_name, after, lines) => {
    const text = withoutDigests(finish(tableChange(before, after, place)) ?? "");
    expect(text.split("\n").filter((line) => line !== "")).toEqual(lines);
  });

  it("of a policy adds what is new first, and deletes afterwards what is left", () => {
    const open: NetworkPolicySpec = { ...spec, ingress: [{}] };
    const after = rulesOf([pod("db", 11, true), pod("web", 12)], open);
    expect(withoutDigests(finish(tableChange(before, after, place)) ?? "").split("\n")).toEqual([
      "add chain ip T policy-X",
      "add rule ip T policy-X accept",
      "add chain ip T pod-X",
      "add rule ip T pod-X jump policy-X",
      "add rule ip T pod-X goto refused",
      "delete element ip T ingress { 10.244.0.11 }",
      "add element ip T ingress { 10.244.0.11 : goto pod-X }",
      "",
    ]);
    expect(withoutDigests(tableRemains(before, after, place) ?? "").split("\n")).toEqual([
      "flush chain ip T policy-X",
      "flush chain ip T pod-X",
      "delete chain ip T policy-X",
      "delete chain ip T pod-X",
      "delete set ip T ports-X",
      "delete set ip T pods-X",
      "delete set ip T ranges-X",
      "",
    ]);
    expect(tableRemains(after, after, place)).toBeUndefined();
  });
});

function rulesOf(pods: readonly PolicyPod[], of: NetworkPolicySpec = spec): PolicyRules {
  const policies = [{ metadata: { name: "p", namespace: "a" }, spec: of }];
  return finish(planPolicies({ policies, pods, namespaces: new Map([["a", {}]]) }));
}

function pod(app: string, number: number, isLocal = false): PolicyPod {
  return {
    uid: `${number}`,
    namespace: "a",
    labels: { app },
    address: `10.244.0.${number}`,
    isLocal,
    ports: app === "db" ? [{ name: "sql", protocol: "tcp", port: 5432 }] : [],
  };
}

function crowd(count: number): readonly PolicyPod[] {
  return Array.from({ length: count }, (_, i) => ({
    ...pod("web", 0),
    address: `10.245.${i >> 8}.${i & 255}`,
  }));
}

function withoutDigests(text: string): string {
  return text.replaceAll(/-[0-9a-f]{16}/gu, "-X").replaceAll("kedge-3fa9c1-policies", "T");
}
