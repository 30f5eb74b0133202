import { readFile } from "node:fs/promises";
import { parse, stringify } from "yaml";
import { describe, expect, it } from "vitest";
import { parseObject } from "@kedge/schema";
import { Application } from "../kind.ts";
import { planApplication, type ApplicationPlan } from "../plan/plan.ts";
import { applicationOf, deploymentFor, observedOf } from "../testing/builders.ts";
import { serviceOf } from "./service.ts";

function golden(actions: ApplicationPlan["actions"]): string {
  const objects = actions.flatMap((action) => ("object" in action ? [action.object] : []));
  return objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join("---\n");
}

describe("the children of an application", () => {
  it("are the golden file: the example, when its Deployment is there", async () => {
    const text = await readFile(new URL("../../../../examples/application.yaml", import.meta.url), "utf8");
    const { metadata: _other, spec } = parseObject(Application, parse(text));
    const application = applicationOf(spec);
    const deployment = deploymentFor(application, { by: "autoscaler" });
    const { actions } = planApplication(observedOf(application, { deployment }));
    await expect(golden(actions)).toMatchFileSnapshot("../testing/golden/example.yaml");
  });

  it("are the golden file: no more than an image and a port", async () => {
    const { actions } = planApplication(observedOf(applicationOf()));
    await expect(golden(actions)).toMatchFileSnapshot("../testing/golden/minimal.yaml");
  });
});

describe("the Service", () => {
  const loadBalancer = { sourceRanges: ["10.0.0.0/8"] };

  it.each([
    ["LoadBalancer", ["10.0.0.0/8"]],
    ["NodePort", undefined],
    ["ClusterIP", undefined],
  ] as const)("of type %s has source ranges %j", (serviceType, ranges) => {
    const service = serviceOf(applicationOf({ network: { serviceType, loadBalancer } }));
    expect(service?.spec?.type).toBe(serviceType);
    expect(service?.spec?.loadBalancerSourceRanges).toEqual(ranges);
  });

  it("is not there without a port", () => {
    expect(serviceOf(applicationOf({ port: undefined }))).toBeUndefined();
  });
});
