import { describe, expect, it } from "vitest";
import { statefulSetOf } from "../specs/stateful-set.ts";
import { instanceOf, observedOf, podOf, rolledOut, statefulSetFor } from "../testing/builders.ts";
import { planRollBack } from "./roll-back.ts";

const instance = instanceOf({ replicas: 2 });
const wanted = (image: string) =>
  statefulSetOf(instance.metadata, {
    image,
    replicas: 2,
    resources: undefined,
    storage: { size: "1Gi", storageClassName: undefined },
    authEnabled: true,
    configHash: "hash",
    placing: { labels: {}, annotations: {}, priorityClassName: undefined },
  });
const ready = { conditions: [{ type: "Ready", status: "True" }] };
const waiting = (reason: string, message = "") => ({
  phase: "Pending",
  containerStatuses: [
    {
      name: "redis",
      ready: false,
      restartCount: 3,
      image: "",
      imageID: "",
      state: { waiting: { reason, message } },
    },
  ],
});

/** The annotations that a plan gives the StatefulSet. */
const told = (plan: ReturnType<typeof planRollBack>) => plan.statefulSet.metadata?.annotations ?? {};
const hashOf = (image: string): string =>
  told(planRollBack(observedOf(instance), wanted(image)))["redis.github.com/template"] ?? "";

function present(annotations: Readonly<Record<string, string>>, revision = "r2") {
  const set = statefulSetFor(instance, { ...rolledOut(2), updateRevision: revision });
  return { ...set, metadata: { ...set.metadata, annotations } };
}

describe("a template", () => {
  const [good, other] = [hashOf("redis:7.0"), hashOf("redis:7.2")];
  const rolling = {
    "redis.github.com/template": other,
    "redis.github.com/good-template": `r1 ${good}`,
  };

  it("is good when all pods are ready with it", () => {
    const pods = [podOf("cache-0", ready), podOf("cache-1", ready)];
    const set = present({ "redis.github.com/template": good }, "r1");
    const plan = planRollBack(observedOf(instance, { statefulSet: set, pods }), wanted("redis:7.0"));
    expect(told(plan)["redis.github.com/good-template"]).toBe(`r1 ${good}`);
    const older = [podOf("cache-0", ready), podOf("cache-1", ready, "r0")];
    const half = planRollBack(observedOf(instance, { statefulSet: set, pods: older }), wanted("redis:7.0"));
    expect(told(half)["redis.github.com/good-template"]).toBeUndefined();
    // The status of the StatefulSet is about the pods that were there before.
    const unready = [podOf("cache-0", ready), podOf("cache-1", waiting("ContainerCreating"))];
    const stale = planRollBack(
      observedOf(instance, { statefulSet: set, pods: unready }),
      wanted("redis:7.0"),
    );
    expect(told(stale)["redis.github.com/good-template"]).toBeUndefined();
  });

  it("is undone when its first pod fails, in the words of who knows", () => {
    const pods = [
      podOf("cache-0", ready, "r1"),
      podOf("cache-1", waiting("ImagePullBackOff", "no such image"), "r2"),
    ];
    const plan = planRollBack(
      observedOf(instance, { statefulSet: present(rolling), pods }),
      wanted("redis:7.2"),
    );
    expect(plan.actions).toMatchObject([
      {
        type: "roll back",
        revision: "r1",
        statefulSet: {
          metadata: {
            annotations: {
              "redis.github.com/template": good,
              "redis.github.com/rolled-back": expect.stringMatching(
                new RegExp(`^${other} .*no such image`, "u"),
              ) as string,
            },
          },
        },
      },
    ]);
  });

  describe("whose first pod has an error that may pass", () => {
    const plan = (reason: string, failing: string | undefined, now: number) => {
      const annotations = {
        ...rolling,
        ...(failing !== undefined && { "redis.github.com/failing-since": failing }),
      };
      const pods = [podOf("cache-0", ready, "r1"), podOf("cache-1", waiting(reason), "r2")];
      const facts = observedOf(instance, { statefulSet: present(annotations), pods, now });
      return planRollBack(facts, wanted("redis:7.2"));
    };
    const since = "cache-1 1970-01-01T00:00:10Z";

    it.each([
      ["is written down when it is first seen", undefined, 10_000, since, 45_000],
      ["stays written down", since, 30_000, since, 25_000],
      ["is another pod's", "other 1970-01-01T00:00:10Z", 90_000, "cache-1 1970-01-01T00:01:30Z", 45_000],
      ["is of the future: a clock was set back", since, 5000, "cache-1 1970-01-01T00:00:05Z", 45_000],
      ["cannot be read", "cache-1", 10_000, "cache-1", 45_000],
    ])("stays while that %s", (_what, before, now, failing, again) => {
      const found = plan("CreateContainerError", before, now);
      expect(found).toMatchObject({ actions: [], refusals: [], again });
      expect(told(found)).toMatchObject({ "redis.github.com/failing-since": failing });
    });

    it.each(["CreateContainerError", "CreateContainerConfigError", "RunContainerError"])(
      "is undone when the error lasts: %s",
      (reason) => {
        expect(plan(reason, since, 54_000).actions).toEqual([]);
        expect(plan(reason, since, 55_000).actions).toHaveLength(1);
      },
    );

    it("is undone at once when the node has tried often enough, and forgets it when it has passed", () => {
      expect(plan("CrashLoopBackOff", undefined, 10_000).actions).toHaveLength(1);
      expect(told(plan("ContainerCreating", since, 20_000))).not.toHaveProperty([
        "redis.github.com/failing-since",
      ]);
    });
  });

  it("whose predecessor is gone stays, and that is said", () => {
    const annotations = { ...rolling, "redis.github.com/good-template": `gone ${good}` };
    const pods = [podOf("cache-0", ready, "r1"), podOf("cache-1", waiting("CrashLoopBackOff"), "r2")];
    const facts = observedOf(instance, { statefulSet: present(annotations), pods });
    const { actions, refusals } = planRollBack(facts, wanted("redis:7.2"));
    expect(actions).toEqual([]);
    expect(refusals).toMatchObject([
      { field: "spec", message: expect.stringContaining("its ControllerRevision is gone") as string },
    ]);
  });

  it.each([
    ["its first pod only starts", rolling, "r2", waiting("ContainerCreating")],
    ["a pod of the old one fails", rolling, "r1", waiting("CrashLoopBackOff")],
    ["none was ever good", { "redis.github.com/template": other }, "r2", waiting("CrashLoopBackOff")],
    [
      "it was good",
      { ...rolling, "redis.github.com/good-template": `r2 ${other}` },
      "r2",
      waiting("CrashLoopBackOff"),
    ],
    [
      "it was good, as another revision",
      { ...rolling, "redis.github.com/good-template": `r1 ${other}` },
      "r2",
      waiting("CrashLoopBackOff"),
    ],
  ])("stays when %s", (_when, annotations, revision, status) => {
    const pods = [podOf("cache-0", ready, "r1"), podOf("cache-1", status, revision)];
    const facts = observedOf(instance, { statefulSet: present(annotations), pods });
    expect(planRollBack(facts, wanted("redis:7.2")).actions).toEqual([]);
  });

  it("stays when another pod of it is ready: it is not the template", () => {
    const pods = [podOf("cache-0", ready, "r2"), podOf("cache-1", waiting("CrashLoopBackOff"), "r2")];
    const facts = observedOf(instance, { statefulSet: present(rolling), pods });
    expect(planRollBack(facts, wanted("redis:7.2")).actions).toEqual([]);
  });

  it("stays when a pod of it was ready before: only the first one of a roll-out can undo it", () => {
    const first = [podOf("cache-0", ready, "r1"), podOf("cache-1", ready, "r2")];
    const facts = observedOf(instance, { statefulSet: present(rolling), pods: first });
    const seen = planRollBack(facts, wanted("redis:7.2"));
    expect(told(seen)).toMatchObject({ "redis.github.com/proven-template": other });
    const failing = [podOf("cache-0", waiting("CrashLoopBackOff"), "r2"), podOf("cache-1", {}, "r2")];
    const later = { ...facts, statefulSet: present(told(seen)), pods: failing };
    expect(planRollBack(later, wanted("redis:7.2")).actions).toEqual([]);
    // Another one begins anew.
    expect(told(planRollBack(later, wanted("redis:7.4")))).not.toHaveProperty([
      "redis.github.com/proven-template",
    ]);
  });

  describe("of a server whose data the one before could not read", () => {
    const newest = hashOf("redis:8.0");
    const toNewest = { ...rolling, "redis.github.com/template": newest };
    const ended = (message: string) => {
      const [server] = waiting("CrashLoopBackOff").containerStatuses;
      const lastState = { terminated: { exitCode: 1, message } };
      return { phase: "Running", containerStatuses: [{ ...server, ...waited, lastState }] };
    };
    const waited = { name: "redis", ready: false, restartCount: 3, image: "", imageID: "" };
    const of = (image: string, pod: ReturnType<typeof podOf>) => ({
      ...pod,
      spec: { containers: [{ name: "redis", image }] },
    });
    const plan = (status: Parameters<typeof podOf>[1]) => {
      const pods = [
        of("redis:7.0", podOf("cache-0", ready, "r1")),
        of("redis:8.0", podOf("cache-1", status, "r2")),
      ];
      return planRollBack(
        observedOf(instance, { statefulSet: present(toNewest), pods }),
        wanted("redis:8.0"),
      );
    };

    it("is undone when the server was never started", () => {
      const { containerStatuses, ...status } = waiting("ImagePullBackOff");
      const never = containerStatuses.map((one) => ({ ...one, restartCount: 0 }));
      expect(plan({ ...status, containerStatuses: never }).actions).toHaveLength(1);
    });

    it("is undone when the server got no further than its config", () => {
      expect(plan(ended("*** FATAL CONFIG FILE ERROR (Redis 8.0.2) ***")).actions).toHaveLength(1);
    });

    it("stays when it may have written, with the reason and the way out", () => {
      const { actions, refusals, statefulSet } = plan(ended("Out of memory"));
      expect(actions).toEqual([]);
      expect(statefulSet.spec?.template?.spec?.containers?.[0]?.image).toBe("redis:8.0");
      expect(refusals[0]?.message).toMatch(
        /Out of memory.*Redis 7\.0 cannot read what Redis 8\.0 writes.*delete pvc redis-data-cache-1/u,
      );
    });
  });

  it("that was undone is refused, and pods keep theirs; another one is tried", () => {
    const annotations = {
      "redis.github.com/template": good,
      "redis.github.com/good-template": `r1 ${good}`,
      "redis.github.com/rolled-back": `${other} pod cache-1 cannot be`,
    };
    const pods = [podOf("cache-0", ready), podOf("cache-1", ready)];
    const facts = observedOf(instance, { statefulSet: present(annotations, "r1"), pods });
    const refused = planRollBack(facts, wanted("redis:7.2"));
    expect(refused.refusals[0]?.message).toContain("pod cache-1 cannot be");
    expect(refused.statefulSet.spec?.template?.spec?.containers?.[0]?.image).toBe("redis:7.0");
    const next = planRollBack(facts, wanted("redis:7.4"));
    expect(next.refusals).toEqual([]);
    expect(next.statefulSet.spec?.template?.spec?.containers?.[0]?.image).toBe("redis:7.4");
  });
});
