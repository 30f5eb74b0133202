import { expect, it } from "vitest";
import { rulesetOf } from "./ruleset.ts";
import { network, servicePort } from "./testing/service-port.ts";

const nothing = { chains: [], memories: [] };

it("makes a table anew that is not known, and keeps one that is", () => {
  const port = servicePort({ affinitySeconds: 60 });
  const fresh = rulesetOf(network, [port]);
  expect(fresh.anew()).toMatch(/^add table ip kedge-3fa9c1\ndelete table ip kedge-3fa9c1\n/u);
  expect(fresh.again(nothing)).toMatch(
    /^flush table ip kedge-3fa9c1\nflush map ip kedge-3fa9c1 cluster-addresses\n/u,
  );
  expect(fresh.again(nothing)).not.toContain("delete ");
});

it("deletes what nothing has referred to since the ruleset before, unless it is wanted again", () => {
  const [kept, gone] = [
    servicePort({ affinitySeconds: 60 }),
    servicePort({ name: "default/gone:1", affinitySeconds: 60 }),
  ];
  const { contents } = rulesetOf(network, [kept, gone]);
  const next = rulesetOf(network, [kept]);
  const { contents: now } = next;
  const deleted = [...next.again(contents).matchAll(/^delete (?:chain|set) ip \S+ (\S+)$/gmu)].map(
    ([, name]) => name,
  );
  expect(new Set([...deleted, ...now.chains, ...now.memories])).toEqual(
    new Set([...contents.chains, ...contents.memories]),
  );
  expect(deleted).toHaveLength(3);
});

it("gives an address that two services claim to the first of them", () => {
  const claim = { externalAddresses: ["192.0.2.1"] };
  const { text } = rulesetOf(network, [
    servicePort({ name: "default/a:80", ...claim }),
    servicePort({ name: "default/b:80", clusterAddress: "10.96.0.6", ...claim }),
  ]);
  expect(text.match(/192\.0\.2\.1 \. tcp \. 80/gu)).toHaveLength(1);
});
