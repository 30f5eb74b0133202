import { describe, expect, it } from "vitest";
import { compareObjects } from "./compare-objects.ts";
import type { RawObject } from "./mask-objects.ts";

const uid = (digit: number): string => `${digit}b4e28ba-2fa1-41d2-883f-0016d3cca427`;

interface Generated {
  readonly first: number;
  readonly hash: string;
  readonly suffixes: readonly [string, string];
  readonly address: string;
  readonly password: string;
}

const one: Generated = {
  first: 1,
  hash: "5bcb9f99f",
  suffixes: ["qjqxw", "xm4k5"],
  address: "10.96.0.7",
  password: "YQ==",
};
const other: Generated = {
  first: 5,
  hash: "7c8898b46f",
  suffixes: ["zzzzz", "bcdfg"],
  address: "10.96.0.77",
  password: "Yg==",
};

/** A replica set with two pods, a service and a secret. */
function objects({ first, hash, suffixes, address, password }: Generated): readonly RawObject[] {
  const name = `web-${hash}`;
  const annotations = { "deployment.kubernetes.io/revision": "1" };
  const labels = { "pod-template-hash": hash };
  const pod = (suffix: string, digit: number): RawObject => ({
    kind: "Pod",
    metadata: { name: `${name}-${suffix}`, generateName: `${name}-`, uid: uid(first + digit), labels },
    spec: { owner: uid(first), volumes: [`kube-api-access-${suffix}`] },
  });
  return [
    { kind: "ReplicaSet", metadata: { name, uid: uid(first), labels, annotations } },
    ...suffixes.map((suffix, index) => pod(suffix, index + 1)),
    { kind: "Service", metadata: { name: "web", uid: uid(first + 3) }, spec: { clusterIP: address } },
    { kind: "Secret", metadata: { name: "web", uid: uid(0) }, data: { password } },
  ];
}

function replaced(list: readonly RawObject[], index: number, fields: object): readonly RawObject[] {
  return list.map((object, at) => (at === index ? { ...object, ...fields } : object));
}

describe("the comparison of two clusters' objects", () => {
  it("does not see what was generated", () => {
    const { differences, compared, fields } = compareObjects(objects(one), objects(other));
    expect(differences).toEqual([]);
    expect({ compared, fields }).toEqual({ compared: 5, fields: 27 });
  });

  it.each<{ what: string; got: readonly RawObject[]; paths: readonly string[] }>([
    {
      what: "a value",
      got: replaced(objects(other), 3, { spec: { clusterIP: "None" } }),
      paths: ["GET Service web /body/spec/clusterIP"],
    },
    {
      what: "a reference to another object",
      got: replaced(objects(other), 1, { spec: { owner: uid(8), volumes: ["kube-api-access-zzzzz"] } }),
      paths: ["GET Pod web-<hash of revision 1>-<suffix> #2 /body/spec/owner"],
    },
    {
      what: "an object that is missing",
      got: objects(other).slice(0, 4),
      paths: ["GET Secret web /status", "GET Secret web /body"],
    },
    {
      what: "one too many",
      got: [...objects(other), { kind: "Pod", metadata: { name: "more", uid: uid(9) } }],
      paths: ["GET Pod more /status", "GET Pod more /body"],
    },
  ])("sees $what", ({ got, paths }) => {
    const { differences } = compareObjects(objects(one), got);
    expect(differences.map(({ what, path }) => `${what} ${path}`)).toEqual(paths);
  });
});

it("numbers objects of generated names alike, in whatever order a server writes their fields", () => {
  const pod = (name: string, digit: number, status: object): RawObject => ({
    kind: "Pod",
    metadata: { name, generateName: "web-", uid: uid(digit) },
    status,
  });
  const [started, waiting] = [{ phase: "Running", startTime: "now" }, { phase: "Running" }];
  const real = [pod("web-qjqxw", 1, started), pod("web-xm4k5", 2, waiting)];
  const ours = [pod("web-zzzzz", 3, waiting), pod("web-bcdfg", 4, { startTime: "now", phase: "Running" })];
  expect(compareObjects(real, ours).differences).toEqual([]);
});
