import { resourceVersion, uid } from "@kedge/machinery";
import { actionText } from "@kedge/runtime";
import { describe, expect, it } from "vitest";
import { promoteAnnotation, switchoverAnnotation } from "../names.ts";
import type { Observed } from "../observe.ts";
import { instanceOf, observedOf, rolledOut, statefulSetFor } from "../testing/builders.ts";
import { serversOf, type PlayedServer } from "../testing/servers.ts";
import { planMove } from "./move-storage.ts";
import { planInstance } from "./plan.ts";
import { storageCondition } from "./storage-condition.ts";
import { planStorage } from "./storage.ts";
import { switchoverTrouble } from "./switchover-condition.ts";

interface Played {
  readonly size?: string;
  readonly className?: string;
  readonly metadata?: object;
}

function claimOf({ size = "2Gi", className = "local-path", metadata }: Played, ordinal: number) {
  const name = `redis-data-cache-${ordinal}`;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      namespace: "shop",
      name,
      uid: uid(name),
      resourceVersion: resourceVersion("7"),
      creationTimestamp: "2026-11-16T00:00:00Z",
      ...metadata,
    },
    spec: { resources: { requests: { storage: size } }, storageClassName: className },
    status: { phase: "Bound", capacity: { storage: size } },
  };
}

const deleting = { metadata: { deletionTimestamp: "2026-11-16T01:00:00Z" } };
const moved = { size: "1Gi" };

/** Three servers with volumes of 2Gi of which the spec wants 1Gi, and a StatefulSet that was made again for that. */
function facts(
  claims: readonly Played[],
  servers: readonly PlayedServer[] = [{}, {}, {}],
  there: Partial<Observed> & { readonly storage?: object } = {},
): Observed {
  const { storage = { size: "1Gi", migrate: true }, ...more } = there;
  const instance = instanceOf({ replicas: 3, storage });
  return observedOf(instance, {
    statefulSet: statefulSetFor(instanceOf({ replicas: 3, storage: { size: "1Gi" } }), rolledOut(3)),
    claims: claims.map(claimOf),
    servers: serversOf(...servers),
    replication: { epoch: 1, primary: "cache-0" },
    ...more,
  });
}

function told(observed: Observed): readonly string[] {
  const { storage } = observed.instance.spec;
  const volumes = planStorage({ storage, replicas: 3 }, observed);
  const { actions, handsOver } = planMove({ ...observed, wanted: 3 }, volumes);
  const words = actions.map((action) => ("pod" in action ? `stop ${action.pod}` : actionText(action)));
  return handsOver ? [...words, "hand over"] : words;
}

const all = [{}, {}, {}];

/** The instance, with what somebody asks for. */
function asked(annotations: Readonly<Record<string, string>>): Pick<Observed, "instance"> {
  const { instance } = facts(all);
  return { instance: { ...instance, metadata: { ...instance.metadata, annotations } } };
}

function deeds(observed: Observed): readonly string[] {
  return planInstance(observed).actions.map(actionText);
}

function isGivingUp(what: string): boolean {
  return /PersistentVolumeClaim|stop pod/u.test(what);
}

describe("volumes that cannot become what is wanted", () => {
  it("are replaced from the highest ordinal down, each when all others are in sync, the primary's last", () => {
    expect(told(facts(all))).toEqual([
      "check copies",
      "delete PersistentVolumeClaim redis-data-cache-2",
      "stop cache-2",
    ]);
    expect(told(facts([{}, {}, moved]))).toEqual([
      "check copies",
      "delete PersistentVolumeClaim redis-data-cache-1",
      "stop cache-1",
    ]);
    expect(told(facts([{}, moved, moved]))).toEqual(["hand over"]);
    expect(told(facts([moved, moved, moved]))).toEqual([]);
    expect(storageCondition(facts([{}, {}, moved]), [])).toMatchObject({
      reason: "Moving",
      message: expect.stringContaining("redis-data-cache-0, redis-data-cache-1, one") as string,
    });
  });

  it("go when the primary and the other replicas, asked once more, have the data", () => {
    const { actions } = planInstance(facts(all));
    expect(actions.find(({ type }) => type === "check copies")).toMatchObject({
      epoch: 1,
      primary: { pod: "cache-0" },
      replicas: [{ pod: "cache-1" }],
    });
  });

  it("are replaced when the class is another one, or does not let them grow", () => {
    const storage = { size: "2Gi", storageClassName: "fast", migrate: true };
    const statefulSet = statefulSetFor(instanceOf({ replicas: 3, storage }), rolledOut(3));
    expect(told(facts(all, all, { storage, statefulSet }))).toContain("stop cache-2");
    const more = { size: "4Gi", migrate: true };
    const grown = statefulSetFor(instanceOf({ replicas: 3, storage: more }), rolledOut(3));
    const fixed = { storage: more, statefulSet: grown, expandableClasses: new Set<string>() };
    expect(told(facts(all, all, fixed))).toContain("stop cache-2");
    expect(told(facts(all, all, { storage: more, statefulSet: grown }))).toEqual([]);
  });

  it("that an operator had deleted when it ended are gone on with", () => {
    expect(told(facts([{}, {}, deleting]))).toEqual(["check copies", "stop cache-2"]);
    // Somebody has made it the primary since.
    const servers: readonly PlayedServer[] = [
      { role: "replica", follows: "cache-2" },
      { follows: "cache-2" },
      { role: "primary" },
    ];
    const there = { replication: { epoch: 1, primary: "cache-2" } };
    expect(told(facts([moved, moved, deleting], servers, there))).toEqual(["hand over"]);
  });

  it.each<[string, readonly PlayedServer[], Partial<Observed> & { storage?: object }]>([
    ["nobody asked for it", all, { storage: { size: "1Gi" } }],
    ["another replica is not ready", [{}, { isReady: false }, {}], {}],
    ["another replica is not in sync", [{}, { isUp: false }, {}], {}],
    ["another replica has other data", [{}, { id: "b" }, {}], {}],
    ["another replica cannot write to its volume", [{}, { isDiskFailing: true }, {}], {}],
    ["another replica has not got its data on its disk yet", [{}, { isRewriting: true }, {}], {}],
    ["another replica does not answer", [{}, { fails: "TIMEOUT" }, {}], {}],
    ["the primary does not answer", [{ fails: "TIMEOUT" }, {}, {}], {}],
    ["the primary is not admitted", [{ isRestarted: true }, {}, {}], {}],
    ["a pod is being replaced", [{}, { isDeleting: true }, {}], {}],
    ["a pod is missing", [{}, {}], {}],
    ["pods have an older template", [{}, { revision: "r0" }, {}], {}],
    [
      "the StatefulSet was not made again",
      all,
      { statefulSet: statefulSetFor(instanceOf({ replicas: 3, storage: { size: "2Gi" } }), rolledOut(3)) },
    ],
    ["the StatefulSet is away", all, { statefulSet: undefined }],
  ])("stay while %s", (_why, servers, there) => {
    expect(told(facts(all, servers, there))).toEqual([]);
  });

  it("wait until all that the primary has is on the disks of the others, and look again", () => {
    const claims = [{}, moved, moved];
    const inMemory = facts(claims, [{}, {}, { isRewriting: true }]);
    expect(told(inMemory)).toEqual([]);
    expect(planInstance(inMemory).again).toBe(1000);
    // Who is replaced next may be making anything.
    expect(told(facts(all, [{}, {}, { isRewriting: true }]))).toContain("stop cache-2");
    expect(planInstance(facts([moved, moved, moved], [{}, {}, { isRewriting: true }])).again).toBeUndefined();
  });

  it.each<[string, Partial<Observed>]>([
    ["is asked to take over", asked({ [switchoverAnnotation]: "cache-2" })],
    ["was about to take over", { replication: { epoch: 1, primary: "cache-0", target: "cache-2" } }],
    ["is to take over whatever is lost", asked({ [promoteAnnotation]: "cache-2" })],
  ])("stay when its pod %s", (_why, there) => {
    const words = deeds({ ...facts(all), ...there });
    expect(words).toContain("take epoch");
    expect(words.filter(isGivingUp)).toEqual([]);
  });

  it("stay when the pod loads its data that is to take over whatever is lost, and when all are put to sleep", () => {
    const loading = facts(all, [{}, {}, { isLoading: true, isReady: false }]);
    expect(deeds(loading).filter(isGivingUp)).toHaveLength(2);
    expect(deeds({ ...loading, ...asked({ [promoteAnnotation]: "cache-2" }) }).filter(isGivingUp)).toEqual(
      [],
    );
    const { instance } = facts(all);
    const asleep = { ...instance, spec: { ...instance.spec, hibernate: true } };
    expect(deeds({ ...facts(all), instance: asleep }).filter(isGivingUp)).toEqual([]);
  });

  it("let the primary hand over, less and less often when that is given up, and that is said", () => {
    const claims = [{}, moved, moved];
    expect(deeds(facts(claims))).toContain("hand over");
    const givenUp = { times: 3, at: "1970-01-01T00:00:00Z", why: "It was late." };
    const resting = facts(claims, all, { replication: { epoch: 1, primary: "cache-0", givenUp } });
    expect(deeds(resting)).not.toContain("hand over");
    expect(planInstance(resting).again).toBe(20_000);
    expect(switchoverTrouble(resting)?.message).toContain("cache-0 is to get another volume.");
  });

  it("are refused when there is no copy, no permission, or no room for the data", () => {
    const refusals = (storage: object, replicas: number, memory = 1_048_576) => {
      const observed = facts(all, [{ memory }, {}, {}]);
      const { storage: wanted } = instanceOf({ storage }).spec;
      const plan = planStorage({ storage: wanted, replicas }, observed);
      return plan.refusals.map(({ field, message }) => `${field} ${message}`).join();
    };
    expect(refusals({ size: "1Gi" }, 3)).toContain("or set spec.storage.migrate to true");
    expect(refusals({ size: "1Gi", migrate: true }, 1)).toContain("or have two replicas or more");
    expect(refusals({ size: "1Gi", migrate: true }, 3)).toBe("");
    expect(refusals({ size: "1Gi", migrate: true }, 3, 2 ** 30)).toContain("less than twice");
    expect(refusals({ size: "1Ki", migrate: true }, 3)).toContain("less than 1Mi");
  });

  it("wait for the StatefulSet, which is made again without its pods first", () => {
    const statefulSet = statefulSetFor(instanceOf({ replicas: 3, storage: { size: "2Gi" } }), rolledOut(3));
    const { actions } = planInstance(facts(all, all, { statefulSet }));
    const words = actions.map(actionText);
    expect(words).toContain("delete StatefulSet cache");
    expect(words.filter(isGivingUp)).toEqual([]);
  });
});
