import { NetworkPolicy } from "@kedge/machinery/kinds/networking/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../testing/needs.ts";
import {
  startPolicyCluster,
  udp,
  whyNoPolicies,
  type Inhabitant,
  type PolicyCluster,
} from "./testing/cluster.ts";

const [port = 0] = udp;

// The victim takes connections of its friend, nobody else's.
describe("a pod that a policy isolates", needs(whyNoPolicies()), () => {
  let cluster: PolicyCluster;
  let [victim, friend, attacker]: Inhabitant[] = [];
  const one = (inhabitant: Inhabitant | undefined): Inhabitant => {
    if (inhabitant === undefined) throw new Error("nobody");
    return inhabitant;
  };
  const reaches = async (from: Inhabitant): Promise<boolean> => {
    const [is] = await from.prober.reaches([{ protocol: "TCP", address: one(victim).address, port: 80 }]);
    return is === true;
  };

  beforeAll(async () => {
    cluster = await startPolicyCluster();
    // All on one node: the easiest place.
    const [, , b, , d, , f] = [undefined, ...cluster.inhabitants];
    [victim, friend, attacker] = [one(b), one(d), one(f)];
    for (const [inhabitant, role] of [
      [victim, "victim"],
      [friend, "friend"],
    ] as const) {
      const key = { namespace: inhabitant.namespace, name: inhabitant.name };
      await cluster.client.of(Pod).patch(key, { merge: { metadata: { labels: { role } } } });
    }
    await cluster.client.of(NetworkPolicy).create({
      metadata: { namespace: victim.namespace, name: "friends" },
      spec: {
        podSelector: { matchLabels: { role: "victim" } },
        ingress: [{ from: [{ namespaceSelector: {}, podSelector: { matchLabels: { role: "friend" } } }] }],
      },
    });
  });

  afterAll(() => cluster[Symbol.asyncDispose]());

  it("is reached by whom the policy names", async () => {
    await expect.poll(() => reaches(one(attacker))).toBe(false);
    await expect.poll(() => reaches(one(friend))).toBe(true);
  });

  it("is not reached from an address that was borrowed", async () => {
    const [from, to] = [one(attacker), one(victim)];
    const borrowed = one(friend).address;
    await cluster.commands.ipBatch([`addr add ${borrowed}/32 dev eth0`], from.inside);
    const heard = async (text: string): Promise<boolean> => {
      await from.prober.send({ address: to.address, port }, text, borrowed);
      // What came after it has arrived: so would it.
      await one(friend).prober.send({ address: to.address, port }, `after ${text}`);
      await expect.poll(() => to.prober.heard()).toContain(`after ${text}`);
      return (await to.prober.heard()).includes(text);
    };
    expect(await heard("borrowed")).toBe(false);
    // It is this rule that refuses it, nothing else.
    await cluster.commands.nft(
      cluster.tables.map((table) => `flush chain ip ${table} prerouting\n`).join(""),
    );
    await heard("borrowed again");
    await expect.poll(() => to.prober.heard()).toContain("borrowed again");
    await cluster.commands.ipBatch([`addr del ${borrowed}/32 dev eth0`], from.inside);
  });

  it("is not reached by fragments, whose later ones have no port", async () => {
    const to = one(victim);
    const large = (text: string): string => text.padEnd(6000, ".");
    await one(attacker).prober.send({ address: to.address, port }, large("attack"));
    await one(friend).prober.send({ address: to.address, port }, large("letter"));
    await expect.poll(() => to.prober.heard()).toContain(large("letter"));
    expect(await to.prober.heard()).not.toContain(large("attack"));
  });

  it("has no IPv6 that could go past its rules", async () => {
    const veths = await cluster.commands.ip("-6", "-o", "addr");
    for (const { name } of [one(victim), one(attacker)])
      expect(veths.split("\n").filter((line) => line.includes(cluster.vethOf(name)))).toEqual([]);
  });

  it("goes on with a connection that was allowed when it began, but not with datagrams", async () => {
    const [from, to] = [one(friend), one(victim)];
    expect(await from.prober.open({ address: to.address, port: 80 })).toBe(true);
    await from.prober.sendFrom(9000, { address: to.address, port }, "friend");
    await expect.poll(() => to.prober.heard()).toContain("friend");
    const setRole = (inhabitant: Inhabitant, role: string | null): Promise<unknown> =>
      cluster.client
        .of(Pod)
        .patch(
          { namespace: inhabitant.namespace, name: inhabitant.name },
          { merge: { metadata: { labels: { role } } } },
        );
    await setRole(from, null);
    await expect.poll(() => reaches(from)).toBe(false);
    expect(await from.prober.echoes()).toBe(true);
    await from.prober.sendFrom(9000, { address: to.address, port }, "friend no more");
    const other = one(attacker);
    await setRole(other, "friend");
    await expect.poll(() => reaches(other)).toBe(true);
    // What came after it has arrived: so would it.
    await other.prober.send({ address: to.address, port }, "after it");
    await expect.poll(() => to.prober.heard()).toContain("after it");
    expect(await to.prober.heard()).not.toContain("friend no more");
  });
});
