import { resourceVersion, uid, type DeepReadonly } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { appliedIn } from "@kedge/runtime";
import { describe, expect, it } from "vitest";
import type { Observed } from "../observe.ts";
import { instanceOf, observedOf, podOf, rolledOut, statefulSetFor } from "../testing/builders.ts";
import { planInstance } from "./plan.ts";

const written = "redis.github.com/written-by-image";

function claim(ordinal: number, image?: string) {
  const name = `redis-data-cache-${ordinal}`;
  const annotations = image === undefined ? {} : { [written]: image };
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      namespace: "shop",
      name,
      uid: uid(name),
      resourceVersion: resourceVersion("7"),
      creationTimestamp: "2026-11-16T00:00:00Z",
      annotations,
    },
    spec: { resources: { requests: { storage: "1Gi" } }, storageClassName: "local-path" },
    status: { phase: "Bound", capacity: { storage: "1Gi" } },
  };
}

function pod(ordinal: number, image: string, status: "True" | "False" = "True"): DeepReadonly<Pod> {
  const conditions = [{ type: "Ready", status }];
  return { ...podOf(`cache-${ordinal}`, { conditions }), spec: { containers: [{ name: "redis", image }] } };
}

function planFor(
  image: string,
  there: Partial<Observed>,
  { replicas = 1, accepts }: { readonly replicas?: number; readonly accepts?: string } = {},
) {
  const annotations =
    accepts === undefined ? {} : { annotations: { "redis.github.com/accept-data-risk": accepts } };
  const plan = planInstance(
    observedOf(instanceOf({ image, replicas }, { metadata: { ...annotations } }), there),
  );
  const [set] = appliedIn(plan, StatefulSet);
  return {
    plan,
    image: set?.spec?.template?.spec?.containers?.[0]?.image,
    refused: (plan.refusals ?? []).map(({ field, message }) => `${field} ${message}`),
    recorded: plan.actions.filter(({ type }) => type === "record image"),
    cleared: plan.actions.flatMap((action) => (action.type === "clear annotation" ? action.value : [])),
  };
}

const running = (image: string) => {
  const before = instanceOf({ image });
  return { statefulSet: statefulSetFor(before, rolledOut(1)) };
};
const configMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: claim(0).metadata,
  data: { "redis.conf": "appendonly yes\n" },
};

describe("a server that does not come to work", () => {
  const crashed = (image: string, message: string): DeepReadonly<Pod> => ({
    ...pod(0, image, "False"),
    status: {
      containerStatuses: [
        {
          name: "redis",
          ready: false,
          restartCount: 1,
          image,
          imageID: "",
          state: { waiting: { reason: "CrashLoopBackOff" } },
          lastState: { terminated: { exitCode: 1, message } },
        },
      ],
    },
  });
  const there = (image: string, message = "") => ({
    ...running("redis:8.0"),
    configMap,
    pods: [crashed(image, message)],
    claims: [claim(0, "redis:7.0")],
  });

  it("is written down when the one before could not read what it may have written", () => {
    expect(planFor("redis:8.0", there("redis:8.0")).recorded).toMatchObject([
      { image: "redis:8.0", isReady: false },
    ]);
    expect(planFor("redis:7.2", there("redis:7.0")).recorded).toEqual([]);
    const unread = there("redis:8.0", "*** FATAL CONFIG FILE ERROR (Redis 8.0.2) ***");
    expect(planFor("redis:8.0", unread).recorded).toEqual([]);
  });

  describe("is followed by an older one on the only copy", () => {
    const [touched] = [claim(0, "redis:7.0")].map((one) => ({
      ...one,
      metadata: {
        ...one.metadata,
        annotations: { ...one.metadata.annotations, "redis.github.com/touched-by-image": "redis:8.0" },
      },
    }));
    const claims = touched === undefined ? [] : [touched];

    it("when that is accepted for this image, and refused with the risk and the way out otherwise", () => {
      const { image, refused, cleared } = planFor(
        "redis:7.0",
        { ...there("redis:8.0"), claims },
        { accepts: "redis:7.0" },
      );
      expect({ image, refused, cleared }).toEqual({ image: "redis:7.0", refused: [], cleared: [] });
      for (const accepts of [undefined, "redis:7.2", "yes"]) {
        const no = planFor(
          "redis:7.0",
          { ...there("redis:8.0"), claims },
          accepts === undefined ? {} : { accepts },
        );
        expect(no.image).toBe("redis:8.0");
        expect(no.refused[0]).toContain(
          "There is no other copy of the data: it may not start, or lack what was written last",
        );
        expect(no.refused[0]).toContain(
          "kubectl annotate redisinstance -n shop cache redis.github.com/accept-data-risk=redis:7.0",
        );
      }
    });

    it("but not when a server of the newer one came to work: what it has written is known", () => {
      const { image, refused } = planFor(
        "redis:7.0",
        { ...running("redis:8.0"), configMap, pods: [], claims: [claim(0, "redis:8.0")] },
        { accepts: "redis:7.0" },
      );
      expect(image).toBe("redis:8.0");
      expect(refused[0]).toContain("was written by redis:8.0");
    });

    it("and not where there are other copies: one can be given up", () => {
      const pods = [crashed("redis:8.0", ""), pod(1, "redis:7.0")];
      const more = [...claims, claim(1, "redis:7.0")];
      const { image, refused } = planFor(
        "redis:7.0",
        { ...there("redis:8.0"), pods, claims: more },
        { replicas: 2, accepts: "redis:7.0" },
      );
      expect(image).toBe("redis:8.0");
      expect(refused[0]).toContain("give its copy up");
    });

    it("and the word is taken back when it has done its work", () => {
      const well = { ...running("redis:7.0"), pods: [pod(0, "redis:7.0")] };
      const accepts = "redis:7.0";
      expect(planFor("redis:7.0", { ...well, claims }, { accepts }).cleared).toEqual([]);
      const done = { ...well, claims: [claim(0, "redis:7.0")] };
      expect(planFor("redis:7.0", done, { accepts }).cleared).toEqual(["redis:7.0"]);
    });
  });

  it("keeps older ones from its data, and is forgotten when one that can read them is ready", () => {
    const [touched] = [claim(0, "redis:7.0")].map((one) => ({
      ...one,
      metadata: {
        ...one.metadata,
        annotations: { ...one.metadata.annotations, "redis.github.com/touched-by-image": "redis:8.0" },
      },
    }));
    const claims = touched === undefined ? [] : [touched];
    const back = planFor("redis:7.0", { ...there("redis:8.0"), claims });
    expect(back.image).toBe("redis:8.0");
    expect(back.refused[0]).toContain("may have been written by redis:8.0");
    const well = planFor("redis:7.0", { ...running("redis:7.0"), pods: [pod(0, "redis:7.0")], claims });
    expect(well.refused).toEqual([]);
    expect(well.recorded).toMatchObject([{ image: "redis:7.0", isReady: true }]);
  });
});

describe("another image", () => {
  it("is taken when it can read the data", () => {
    const there = { ...running("redis:7.0"), pods: [pod(0, "redis:7.0")], claims: [claim(0, "redis:7.0")] };
    expect(planFor("redis:8.0", there)).toMatchObject({ image: "redis:8.0", refused: [], recorded: [] });
    expect(planFor("valkey/valkey:9.1", there)).toMatchObject({ refused: [] });
  });

  it.each([
    ["by the servers that run", [pod(0, "redis:8.0")], [claim(0)]],
    [
      "by what the volume says, while no pod is ready",
      [pod(0, "redis:8.0", "False")],
      [claim(0, "redis:8.0")],
    ],
    ["by one volume of several", [pod(0, "redis:7.0")], [claim(0, "redis:7.0"), claim(1, "redis:8.0")]],
  ])("is refused, and servers keep theirs and its config, when it cannot: known %s", (_how, pods, claims) => {
    const there = { ...running("redis:8.0"), pods, claims, configMap };
    const { image, refused } = planFor("redis:7.0", there);
    expect(image).toBe("redis:8.0");
    expect(refused).toEqual([
      expect.stringContaining("spec.image is redis:7.0, but the data of claim redis-data-cache-"),
      "spec.config stays as it was until spec.image is accepted",
    ]);
    expect(refused[0]).toContain("was written by redis:8.0, and Redis 7.0 cannot read what Redis 8.0 writes");
  });

  it("is refused by volumes that outlived their instance, of which nothing is made", () => {
    const { plan, refused } = planFor("redis:7.0", { claims: [claim(0, "redis:8.0")] });
    expect(refused).toEqual([expect.stringContaining("spec.image is redis:7.0, but the data of claim")]);
    expect(plan.actions).toEqual([]);
  });

  it("is not what a StatefulSet that was deleted is made again with", () => {
    const there = { claims: [claim(0, "redis:8.0")], configMap };
    expect(planFor("redis:7.0", there).image).toBe("redis:8.0");
    const orphans = { ...there, pods: [pod(0, "redis:8.0.2")] };
    expect(planFor("redis:7.0", orphans).image).toBe("redis:8.0.2");
  });

  it("is taken back when no server of it was ever ready", () => {
    const there = {
      ...running("redis:8.0"),
      pods: [pod(0, "redis:8.0", "False")],
      claims: [claim(0, "redis:7.0")],
    };
    expect(planFor("redis:7.0", there)).toMatchObject({ image: "redis:7.0", refused: [], recorded: [] });
  });

  it("is written on the claim when its server is ready", () => {
    const claims = [claim(0, "redis:7.0"), claim(1, "redis:7.0")];
    const pods = [pod(0, "redis:7.0"), pod(1, "redis:8.0")];
    const { recorded } = planFor("redis:8.0", { ...running("redis:8.0"), pods, claims });
    expect(recorded).toEqual([{ type: "record image", claim: claims[1], image: "redis:8.0", isReady: true }]);
  });
});
