import { describe, expect, it } from "vitest";
import { chainsOf } from "./port-chains.ts";
import type { ServicePort } from "./service-ports.ts";
import { servicePort } from "./testing/service-port.ts";

const [near, far] = [
  { address: "10.244.0.11", port: 8080 },
  { address: "10.244.1.12", port: 8080 },
];
const both = { cluster: [near, far], local: [near] };
const elsewhere = { cluster: [far], local: [] };
const none = { cluster: [], local: [] };
const place = { podCIDR: "10.244.0.0/24", podRange: "10.244.0.0/16", isNode: true };

/** The rules of the chain that a name begins with. */
function rules(port: ServicePort, begin: string, isNode = true): readonly string[] {
  const { lines } = chainsOf(port, { ...place, isNode });
  const from = lines.findIndex((line) => line.startsWith(`  chain ${begin}`));
  if (from === -1) return [];
  const end = lines.indexOf("  }", from);
  return lines.slice(from + 1, end).map((line) => line.trim().replaceAll(/-[0-9a-f]{12}/gu, ""));
}

const nameOf = (chain: string | undefined): string | undefined => chain?.split("-")[0];

describe("the chains of a service's port", () => {
  it.each<[string, Partial<ServicePort>, object]>([
    ["any endpoint", { endpoints: both }, { internal: "cluster", external: undefined, refused: {} }],
    [
      "an endpoint on the node, by policy",
      { endpoints: both, internalLocal: true },
      { internal: "local", refused: {} },
    ],
    [
      "nowhere, by policy, though others have one",
      { endpoints: elsewhere, internalLocal: true },
      { internal: undefined, refused: { internal: "drop" } },
    ],
    [
      "nowhere when there is none",
      { endpoints: none, nodePort: 1 },
      {
        internal: undefined,
        external: undefined,
        refused: { internal: "goto refused", external: "goto refused" },
      },
    ],
    [
      "from outside to none, by policy, but for the node's own",
      { endpoints: elsewhere, externalLocal: true, nodePort: 1 },
      { internal: "cluster", external: "external", refused: { external: "drop", balancer: "drop" } },
    ],
    [
      "by a guarded load balancer to some, and refuse the rest",
      { endpoints: both, balancerAddresses: ["10.244.254.1"], sourceRanges: ["10.0.0.0/8"] },
      { external: "external", balancer: "balancer", refused: { balancer: "drop" } },
    ],
  ])("lead to %s", (_name, more, expected) => {
    const { internal, external, balancer, refused } = chainsOf(servicePort(more), place);
    expect({
      internal: nameOf(internal),
      external: nameOf(external),
      balancer: nameOf(balancer),
      refused: JSON.parse(JSON.stringify(refused)) as object,
    }).toMatchObject(expected);
  });

  it("hide where a connection from outside came from, unless it is to stay on the node", () => {
    const outside = servicePort({ nodePort: 1, endpoints: both });
    expect(rules(outside, "external")).toEqual([
      "ip saddr != 10.244.0.0/24 meta mark set meta mark or 8192",
      "goto cluster",
    ]);
    expect(rules({ ...outside, externalLocal: true }, "external")).toEqual([
      "ip saddr 10.244.0.0/24 goto cluster",
      "fib saddr type local meta mark set meta mark or 8192 goto cluster",
      "goto local",
    ]);
  });

  it("lead from a machine that is no node to any, as a load balancer would", () => {
    const outside = servicePort({ nodePort: 1, externalLocal: true, endpoints: elsewhere });
    expect(rules(outside, "external", false)).toEqual([
      "ip saddr 10.244.0.0/16 ip saddr != 10.244.0.0/24 meta mark set meta mark or 8192",
      "goto cluster",
    ]);
    expect(chainsOf(outside, { ...place, isNode: false }).refused.external).toBeUndefined();
  });

  it("remember which endpoint a client has", () => {
    const port = servicePort({ endpoints: both, affinitySeconds: 60 });
    const { memories, chains } = chainsOf(port, place);
    expect(memories.map((name) => name.replace(/-[0-9a-f]{12}/u, ""))).toEqual(["clients-60", "clients-60"]);
    expect(chains.filter((name) => name.startsWith("endpoint-"))).toHaveLength(2);
    expect(rules(port, "cluster")).toEqual([
      "ip saddr @clients-60 goto endpoint",
      "ip saddr @clients-60 goto endpoint",
      "numgen random mod 2 vmap { 0 : goto endpoint, 1 : goto endpoint }",
    ]);
    expect(rules(port, "endpoint")).toEqual([
      "update @clients-60 { ip saddr }",
      "meta l4proto tcp dnat to 10.244.0.11:8080",
    ]);
  });

  it("keep their names while endpoints come and go", () => {
    const names = (endpoints: ServicePort["endpoints"]): readonly string[] =>
      chainsOf(servicePort({ endpoints, affinitySeconds: 60 }), place).chains;
    expect(names(both)).toEqual(expect.arrayContaining([...names(elsewhere)]));
  });
});
