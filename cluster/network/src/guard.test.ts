import { expect, it } from "vitest";
import { guardOf } from "./guard.ts";
import { rulesetOf } from "./proxy/ruleset.ts";
import { network, servicePort } from "./proxy/testing/service-port.ts";

const web = servicePort({ nodePort: 30_080 });

it("keeps other machines from pods, services and the gateway", () => {
  expect(guardOf(network)).toContain('iifname != "kd3fa9c1*" oifname "kd3fa9c1*" ct state new drop');
  expect(guardOf(network)).toContain('iifname != "lo" iifname != "kd3fa9c1*" ip daddr 10.244.0.0/16 drop');
  expect(guardOf(network)).not.toContain("dnat accept");
  const { text } = rulesetOf(network, [web]);
  expect(text).toContain('    iifname "kd3fa9c1*" goto services');
  expect(text).not.toMatch(/^    goto outside\n  \}\n  chain output/mu);
});

it("takes what comes from the rest of the cluster, on a node with an uplink, and answers for it", () => {
  const { text: rules } = rulesetOf({ ...network, uplink: "eth0" }, [web]);
  expect(rules).toContain('    iifname "eth0" goto services');
  expect(rules).toContain("ip saddr != 10.244.0.0/24 meta mark set meta mark or 8192");
  // Its own resolver instead of the machine's, which is out of reach.
  const resolver = "ip daddr 127.0.0.0/8 meta l4proto { tcp, udp } th dport 53 dnat to 10.244.0.1";
  expect(rules).toContain(resolver);
  expect(rulesetOf(network, [web]).text).not.toContain(resolver);
});

it("lets them in to node ports where that is wanted", () => {
  const exposed = { ...network, exposeNodePorts: true };
  expect(guardOf(exposed)).toContain("ct status dnat accept");
  expect(rulesetOf(exposed, [web]).text).toMatch(/^    goto outside\n  \}\n  chain output/mu);
});
