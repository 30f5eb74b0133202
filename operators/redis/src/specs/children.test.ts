import { stringify } from "yaml";
import { describe, expect, it } from "vitest";
import { seededRandom } from "@kedge/machinery";
import { planInstance } from "../plan/plan.ts";
import { instanceOf, observedOf } from "../testing/builders.ts";
import { templateAnnotation } from "../names.ts";
import { passwordHash } from "../users.ts";
import { livenessScript, preStopScript, readinessScript } from "./probe-scripts.ts";
import { renderScript } from "./render-script.ts";
import { startScript } from "./start-script.ts";
import { authSecretOf, newPassword, passwordInUseOf } from "./auth-secret.ts";

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
        placement: { nodeSelector: { disk: "fast" } },
        priorityClassName: "high",
        networkPolicy: { enabled: true, clients: [{ podSelector: { matchLabels: { app: "shop" } } }] },
        podMetadata: { labels: { team: "shop" }, annotations: { "example.com/note": "ours" } },
      },
    ],
    [
      "metrics",
      {
        replicas: 2,
        metrics: {
          enabled: true,
          resources: { limits: { memory: "64Mi" } },
          labels: { release: "prometheus" },
        },
        networkPolicy: { enabled: true },
      },
    ],
    ["open", { auth: { enabled: false }, config: { save: "" } }],
  ])("are the golden files: %s", async (name, spec) => {
    const { actions } = planInstance(observedOf(instanceOf(spec)));
    const objects = actions.flatMap((action) => ("object" in action ? [action.object] : []));
    const text = objects
      .map((object) => stringify(object, withoutScripts, { aliasDuplicateObjects: false }))
      .join("---\n");
    await expect(text).toMatchFileSnapshot(`../testing/golden/${name}.yaml`);
  });
});

/** Scripts have tests of their own, and are no better for being folded into YAML. */
function withoutScripts(key: unknown, value: unknown): unknown {
  // The hash of the template, with the scripts.
  if (key === templateAnnotation) return "<template>";
  return scripts.get(value) ?? value;
}

const scripts = new Map<unknown, string>([
  [renderScript, "<render-script>"],
  [startScript, "<start-script>"],
  [readinessScript, "<readiness-script>"],
  [livenessScript, "<liveness-script>"],
  [preStopScript, "<pre-stop-script>"],
]);

it("has the scripts of pods that run: another one replaces every pod of every instance", () => {
  const hashes = [...scripts].map(([script, name]) => [name, passwordHash(String(script)).slice(0, 10)]);
  expect(Object.fromEntries(hashes)).toEqual(pinnedScripts);
});

/** Changed on purpose only, and said in the commit. */
const pinnedScripts = {
  "<render-script>": "01c7f17b53",
  "<start-script>": "22f54e5580",
  "<readiness-script>": "d199b97403",
  "<liveness-script>": "2c778a07bb",
  "<pre-stop-script>": "3a67590208",
};

describe("the password", () => {
  it("is 32 letters and digits, another one each time", () => {
    const random = seededRandom(1);
    const [first, second] = [newPassword(random), newPassword(random)];
    expect(Buffer.from(first, "base64").toString()).toMatch(/^[A-Za-z0-9]{32}$/u);
    expect(first).not.toBe(second);
  });

  it.each([
    ["users read", authSecretOf, "cache-auth"],
    ["servers are given", passwordInUseOf, "cache.password-in-use"],
  ])("that %s is in a Secret of the instance", (_what, make, name) => {
    expect(make(instanceOf(), "cDRzcw==")).toMatchObject({
      metadata: {
        namespace: "shop",
        name,
        ownerReferences: [{ kind: "RedisInstance", name: "cache", uid: "instance-uid", controller: true }],
      },
      data: { password: "cDRzcw==" },
    });
  });
});
