import { expect, it } from "vitest";
import { guardOf } from "./guard.ts";
import { rulesetOf } from "./proxy/ruleset.ts";

const network = {
  id: "3fa9c1",
  podRange: "10.244.0.0/16",
  podCIDR: "10.244.0.0/24",
  serviceRange: "10.96.0.0/16",
  domain: "cluster.local",
};
const web = {
  name: "default/web:http",
  protocol: "tcp",
  clusterAddress: "10.96.0.5",
  port: 80,
  nodePort: 30_080,
  endpoints: [{ address: "10.244.0.11", port: 8080 }],
} as const;
const nodePorts = "    fib daddr type local meta l4proto . th dport vmap @node-ports";

it("keeps other machines from pods, services and the gateway", () => {
  expect(guardOf(network)).toContain('iifname != "kd3fa9c1*" oifname "kd3fa9c1*" ct state new drop');
  expect(guardOf(network)).toContain('iifname != "lo" iifname != "kd3fa9c1*" ip daddr 10.244.0.0/16 drop');
  expect(guardOf(network)).not.toContain("dnat accept");
  const lines = rulesetOf(network, [web]).split("\n");
  expect(lines).toContain('    iifname "kd3fa9c1*" goto services');
  expect(lines.filter((line) => line === nodePorts)).toHaveLength(1);
});

it("takes what comes from the rest of the cluster, on a node with an uplink, and answers for it", () => {
  const rules = rulesetOf({ ...network, uplink: "eth0" }, [web]);
  expect(rules).toContain('    iifname "eth0" goto services');
  expect(rules).toContain("ct status dnat ip saddr != 10.244.0.0/24 ip daddr 10.244.0.0/16 masquerade");
  // Its own resolver instead of the machine's, which is out of reach.
  const resolver = "ip daddr 127.0.0.0/8 meta l4proto { tcp, udp } th dport 53 dnat to 10.244.0.1";
  expect(rules).toContain(resolver);
  expect(rulesetOf(network, [web])).not.toContain(resolver);
});

it("lets them in to node ports where that is wanted", () => {
  const exposed = { ...network, exposeNodePorts: true };
  expect(guardOf(exposed)).toContain("ct status dnat accept");
  expect(
    rulesetOf(exposed, [web])
      .split("\n")
      .filter((line) => line === nodePorts),
  ).toHaveLength(2);
});
