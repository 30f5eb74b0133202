import { expect, it } from "vitest";
import { containerNamed, podOf } from "../testing/pods.ts";
import { namesOf } from "./hostname.ts";
import { hostsFile } from "./hosts-file.ts";
import { resolvConf } from "./resolv-conf.ts";
import { resourcesOf } from "./resources.ts";

const dns = { address: "10.244.0.1", domain: "cluster.local" };
const host = "nameserver 192.0.2.53\nsearch example.org\noptions timeout:1\n";
const node = { domain: "cluster.local", nodeName: "node-1" };

it.each([
  [
    "ClusterFirst",
    podOf(),
    "search default.svc.cluster.local svc.cluster.local cluster.local example.org\nnameserver 10.244.0.1\noptions ndots:5\n",
  ],
  [
    "Default",
    podOf({ spec: { dnsPolicy: "Default" } }),
    "search example.org\nnameserver 192.0.2.53\noptions timeout:1\n",
  ],
  [
    "ClusterFirst on the host's network is the host's",
    podOf({ spec: { hostNetwork: true } }),
    "search example.org\nnameserver 192.0.2.53\noptions timeout:1\n",
  ],
  [
    "None with a configuration of its own",
    podOf({
      spec: {
        dnsPolicy: "None",
        dnsConfig: { nameservers: ["1.1.1.1"], searches: ["x"], options: [{ name: "ndots", value: "2" }] },
      },
    }),
    "search x\nnameserver 1.1.1.1\noptions ndots:2\n",
  ],
])("resolv.conf: %s", (_title, pod, text) => {
  expect(resolvConf(pod, dns, host)).toBe(text);
});

it("resolv.conf: other nodes' servers come after those that the pod asks for, three at most", () => {
  const others = ["10.244.1.1", "10.244.2.1"];
  const servers = (pod: ReturnType<typeof podOf>): readonly string[] =>
    Array.from(
      resolvConf(pod, { ...dns, others }, host).matchAll(/^nameserver (.*)$/gmu),
      ([, one = ""]) => one,
    );
  expect(servers(podOf())).toEqual(["10.244.0.1", ...others]);
  const asking = podOf({ spec: { dnsConfig: { nameservers: ["1.1.1.1"] } } });
  expect(servers(asking)).toEqual(["10.244.0.1", "1.1.1.1", "10.244.1.1"]);
  expect(servers(podOf({ spec: { dnsPolicy: "Default" } }))).toEqual(["192.0.2.53"]);
});

it("a pod of a StatefulSet knows its full name", () => {
  const pod = podOf({
    spec: { hostname: "web-0", subdomain: "web", hostAliases: [{ ip: "192.0.2.9", hostnames: ["a", "b"] }] },
  });
  const names = namesOf(pod, node);
  expect(names).toEqual({ hostname: "web-0", fullName: "web-0.web.default.svc.cluster.local" });
  const lines = hostsFile(pod, names, "10.244.0.2")?.split("\n");
  expect(lines).toContain("10.244.0.2\tweb-0.web.default.svc.cluster.local\tweb-0");
  expect(lines).toContain("192.0.2.9\ta\tb");
});

it("a name that is too long for Linux is cut, and does not end in a dash", () => {
  const pod = podOf({ metadata: { name: `${"a".repeat(62)}-${"b".repeat(20)}` } });
  expect(namesOf(pod, node).hostname).toBe("a".repeat(62));
});

it.each([
  ["nothing asked for", {}, { cpuShares: 2, oomScoreAdjust: 1000 }],
  [
    "requests and limits",
    { requests: { cpu: "250m", memory: "256Mi" }, limits: { cpu: "1500m", memory: "512Mi" } },
    {
      cpuShares: 256,
      cpuQuotaMicroseconds: 150_000,
      cpuPeriodMicroseconds: 100_000,
      memoryLimitBytes: 536_870_912,
      oomScoreAdjust: 750,
    },
  ],
  [
    "a tiny limit is raised to what the kernel takes",
    { limits: { cpu: "1m" } },
    { cpuShares: 2, cpuQuotaMicroseconds: 1000, cpuPeriodMicroseconds: 100_000, oomScoreAdjust: 999 },
  ],
])("resources: %s", (_title, resources, expected) => {
  const container = containerNamed("app", { resources });
  const qosClass = Object.keys(resources).length === 0 ? "BestEffort" : "Burstable";
  const pod = podOf({ spec: { containers: [container] }, status: { qosClass } });
  expect(resourcesOf(pod, container, 1 << 30)).toEqual(expected);
});
