import { stringify } from "yaml";
import { describe, expect, it } from "vitest";
import { seededRandom } from "@kedge/machinery";
import { planInstance } from "../plan/plan.ts";
import { instanceOf, observedOf } from "../testing/builders.ts";
import { authSecretOf } from "./auth-secret.ts";

describe("the children of an instance", () => {
  it.each([
    ["minimal", {}],
    [
      "full",
      {
        replicas: 3,
        resources: { requests: { cpu: 1, memory: "512Mi" }, limits: { cpu: "1000m", memory: "0.5Gi" } },
        storage: { size: "10Gi", storageClassName: "fast-ssd" },
        config: { "maxmemory-policy": "allkeys-lru", save: "900 1", appendfsync: "always" },
      },
    ],
    ["open", { auth: { enabled: false }, config: { save: "" } }],
  ])("are the golden files: %s", async (name, spec) => {
    const { actions } = planInstance(observedOf(instanceOf(spec)));
    const objects = actions.flatMap((action) => ("object" in action ? [action.object] : []));
    const text = objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join("---\n");
    await expect(text).toMatchFileSnapshot(`../testing/golden/${name}.yaml`);
  });
});

describe("the password", () => {
  it("is 32 letters and digits, another one each time, in a Secret of the instance", () => {
    const random = seededRandom(1);
    const secrets = [authSecretOf(instanceOf(), random), authSecretOf(instanceOf(), random)];
    const [first, second] = secrets.map(({ stringData }) => stringData?.["password"]);
    expect(first).toMatch(/^[A-Za-z0-9]{32}$/u);
    expect(second).toMatch(/^[A-Za-z0-9]{32}$/u);
    expect(first).not.toBe(second);
    expect(secrets[0]?.metadata).toMatchObject({
      namespace: "shop",
      name: "cache-auth",
      ownerReferences: [{ kind: "RedisInstance", name: "cache", uid: "instance-uid", controller: true }],
    });
  });
});
