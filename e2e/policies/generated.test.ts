import { seededRandom } from "@kedge/machinery";
import { Namespace, Pod } from "@kedge/machinery/kinds/core/v1";
import { NetworkPolicy } from "@kedge/machinery/kinds/networking/v1";
import { madeUpLabels, madeUpPolicy } from "@kedge/network/testing/made-up-policies";
import { isAllowed, type ModelEnd } from "@kedge/network/testing/policy-model";
import { beforeAll, describe, expect, it } from "vitest";
import { needs } from "../testing/needs.ts";
import {
  isPod,
  namespaces,
  portsOf,
  startPolicyCluster,
  tcp,
  udp,
  whyNoPolicies,
  type Inhabitant,
  type PolicyCluster,
} from "./testing/cluster.ts";
import type { Attempt } from "./testing/prober.ts";

/** `KEDGE_TEST_SEED=<number>` makes up others. */
const seed = process.env["KEDGE_TEST_SEED"] ?? "1";
const rounds = 20;

describe("network policies", needs(whyNoPolicies()), () => {
  let cluster: PolicyCluster;

  beforeAll(async () => {
    cluster = await startPolicyCluster();
    return () => cluster[Symbol.asyncDispose]();
  });

  it(`allow and refuse connections as the specification says (seed ${seed})`, async ({ annotate }) => {
    const { client, inhabitants } = cluster;
    const random = seededRandom(`policies ${seed}`);
    const counts = { policies: 0, allowed: 0, refused: 0 };
    const labels = new Map<string, Record<string, string>>();
    const relabel = async (name: string): Promise<void> => {
      labels.set(name, madeUpLabels(random));
      const merge = { metadata: { labels: { app: null, tier: null, ...labels.get(name) } } };
      if (namespaces.includes(name)) await client.of(Namespace).patch({ name }, { merge });
      else {
        const { namespace = "" } = inhabitants.find((one) => one.name === name) ?? {};
        await client.of(Pod).patch({ namespace, name }, { merge });
      }
    };
    const everybody = [...namespaces, ...inhabitants.filter(isPod).map(({ name }) => name)];
    for (const name of everybody) await relabel(name);

    for (let round = 1; round <= rounds; round++) {
      // Some labels change, all policies do.
      for (const name of everybody) if (random.int(4) === 0) await relabel(name);
      for (const { metadata } of (await client.of(NetworkPolicy).list().all()).items)
        if (random.int(3) > 0) await client.of(NetworkPolicy).delete(metadata);
      const place = {
        namespaces,
        addresses: inhabitants.map(({ address }) => address),
        ports: [...tcp, 82, ...udp],
      };
      for (let i = 0; i < 3; i++) {
        counts.policies += 1;
        await client.of(NetworkPolicy).create(madeUpPolicy(random, place, `p${round}-${i}`));
      }
      const { items: policies } = await client.of(NetworkPolicy).list().all();
      const model = {
        policies,
        namespaces: Object.fromEntries(namespaces.map((name) => [name, labels.get(name) ?? {}])),
      };
      const ends = new Map(inhabitants.map((one) => [one.name, modelEnd(one, labels.get(one.name))]));
      const expected = inhabitants.map((from) =>
        attemptsOf(from, inhabitants).map(({ to, attempt }) => {
          const [one, other] = [ends.get(from.name), ends.get(to.name)];
          if (one === undefined || other === undefined) throw new Error("nobody");
          return isAllowed(model, { from: one, to: other, ...attempt });
        }),
      );
      const described = (answers: readonly (readonly boolean[])[]): readonly string[] =>
        inhabitants.flatMap((from, i) =>
          attemptsOf(from, inhabitants).map(
            ({ to, attempt }, j) =>
              `${from.name} → ${to.name} ${attempt.protocol} ${attempt.port}: ${answers[i]?.[j] === true ? "allowed" : "refused"}`,
          ),
        );
      await expect
        .poll(
          async () =>
            described(
              await Promise.all(
                inhabitants.map((from) =>
                  from.prober.reaches(attemptsOf(from, inhabitants).map(({ attempt }) => attempt)),
                ),
              ),
            ),
          {
            interval: 20,
            message: `round ${round}: ${JSON.stringify(policies.map(({ metadata, spec }) => [metadata.namespace, spec]))}`,
          },
        )
        .toEqual(described(expected));
      counts.allowed += expected.flat().filter(Boolean).length;
      counts.refused += expected.flat().filter((is) => !is).length;
    }
    await annotate(
      `${counts.policies} policies: ${counts.allowed} allowed and ${counts.refused} refused connections`,
      "count",
    );
    expect(counts.policies).toBeGreaterThanOrEqual(60);
    expect(Math.min(counts.allowed, counts.refused)).toBeGreaterThan(500);
  });
});

function attemptsOf(
  from: Inhabitant,
  inhabitants: readonly Inhabitant[],
): readonly { readonly to: Inhabitant; readonly attempt: Attempt }[] {
  const others = inhabitants.filter((to) => to !== from);
  return others.flatMap((to) => [
    ...tcp.map((port) => ({ to, attempt: { protocol: "TCP" as const, address: to.address, port } })),
    ...udp.map((port) => ({ to, attempt: { protocol: "UDP" as const, address: to.address, port } })),
  ]);
}

function modelEnd(one: Inhabitant, labels: Record<string, string> | undefined): ModelEnd {
  if (!isPod(one)) return { address: one.address };
  return {
    address: one.address,
    pod: { namespace: one.namespace, labels: labels ?? {}, ports: portsOf(one.name) },
  };
}
