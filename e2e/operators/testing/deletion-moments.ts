import { seededRandom } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, PersistentVolumeClaim, Pod, Secret, Service } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import type { TestEnv } from "@kedge/testkit";

const namespace = "default";

/** Makes instances and deletes each at another moment of its creation. Gives what was left, or was not and should be. */
export async function deleteAtMoments(env: TestEnv, count: number, seed: number): Promise<readonly string[]> {
  const random = seededRandom(seed);
  const problems: string[] = [];
  for (let number = 0; number < count; number++) {
    const key = { namespace, name: `gone-${number}` };
    const deletionPolicy = number % 2 === 0 ? "Retain" : "Delete";
    const spec = { image: "redis:7.0", replicas: 1 + random.int(3), deletionPolicy } as const;
    await env.create(RedisInstance, withDefaults(RedisInstance, { metadata: key, spec }));
    const moment = random.int(2) === 0 ? random.int(200) : random.int(12_000);
    await env.advance(moment);
    const before = await claimsOf(env, key.name);
    await env.run(env.client.of(RedisInstance).delete(key));
    await env.eventuallyGone(RedisInstance, key);
    await env.advance("90s");
    const after = await claimsOf(env, key.name);
    const what = `${deletionPolicy} after ${moment} ms`;
    if (deletionPolicy === "Delete" && after.length > 0)
      problems.push(`${what}: ${after.join(", ")} are left`);
    const lost = before.filter((claim) => !after.includes(claim));
    if (deletionPolicy === "Retain" && lost.length > 0) problems.push(`${what}: ${lost.join(", ")} are gone`);
    const left = await othersOf(env, key.name);
    if (left.length > 0) problems.push(`${what}: ${left.join(", ")} are left`);
  }
  return problems;
}

async function claimsOf(env: TestEnv, instance: string): Promise<readonly string[]> {
  const { items } = await env.run(env.client.of(PersistentVolumeClaim).list({ namespace }).all());
  const names = items.filter(({ metadata }) => metadata.name.startsWith(`redis-data-${instance}-`));
  return names.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).toSorted();
}

async function othersOf(env: TestEnv, instance: string): Promise<readonly string[]> {
  const all = [StatefulSet, Pod, ConfigMap, Secret, Service];
  const found: string[] = [];
  for (const kind of all) {
    const { items } = await env.run(
      env.client.of<{ metadata: { name: string } }, "Namespaced", string>(kind).list({ namespace }).all(),
    );
    const theirs = items.filter(({ metadata: { name } }) =>
      new RegExp(`^${instance}(?:$|[-.])`, "u").test(name),
    );
    found.push(...theirs.map(({ metadata }) => `${kind.kind} ${metadata.name}`));
  }
  return found;
}
