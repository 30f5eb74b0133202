import { inBackground } from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import type { CrashScenario, TestEnv } from "@kedge/testkit";
import { modelOf } from "./failover-scenarios.ts";
import { seededRedisOperator } from "./operators.ts";
import { RedisModel } from "./redis-model/redis-model.ts";

/** The instance that everything happens to. */
export const at = { namespace: "default", name: "cache" };
/** Asks for other passwords. */
export const rotate = "redis.github.com/rotate-password";
/** An environment with the operator, and servers of the model. */
export const options = {
  operators: [seededRedisOperator],
  programs: (world: ConstructorParameters<typeof RedisModel>[0]) => new RedisModel(world),
};

/** Makes it, with two servers. */
export async function create(env: TestEnv, more: object = {}): Promise<void> {
  const spec = { image: "redis:7.0", replicas: 2, auth: { oldPasswordSeconds: 60 }, ...more };
  await env.create(RedisInstance, withDefaults(RedisInstance, { metadata: at, spec }));
  await env.eventually(RedisInstance, at, ({ status }) => status?.readyReplicas === "2/2");
  await env.advance("10s");
}

/** The password in a Secret. */
export const passwordIn = async (env: TestEnv, name: string): Promise<string> => {
  const { data } = await env.run(env.client.of(Secret).get({ ...at, name }));
  return Buffer.from(data?.["password"] ?? "", "base64").toString();
};

/** The passwords of a user that each server takes. */
export const accepted = (env: TestEnv, user: string, ...passwords: readonly string[]) =>
  modelOf(env).processes.map((process) => passwords.map((password) => process.accepts(user, password)));

/** Asks for other passwords, by annotation. */
export async function ask(env: TestEnv, what: string): Promise<void> {
  const metadata = { annotations: { [rotate]: what } };
  await env.run(env.client.of(RedisInstance).patch(at, { merge: { metadata } }));
}

/** Looks all the time, as clients that read the Secret: whoever finds a password there must be let in with it. */
export function lookAlways(env: TestEnv, refused: string[]): Disposable {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await env.clock.sleep(100);
      for (const name of ["cache-auth", "cache-binding"]) {
        const { data } = await env.client.of(Secret).get({ ...at, name });
        const password = Buffer.from(data?.["password"] ?? "", "base64").toString();
        for (const process of modelOf(env).processes)
          if (!process.accepts("default", password)) refused.push(`${process.pod} ${name}`);
      }
    }
  };
  inBackground(run(), (error) => {
    throw error;
  });
  return { [Symbol.dispose]: () => stopping.abort() };
}

const refused = new WeakMap<TestEnv, string[]>();

/** All passwords change, and the operator is killed meanwhile; clients look all the time. */
export const rotationScenario: CrashScenario = {
  options,
  process: seededRedisOperator.name,
  prepare: create,
  async act(env) {
    const found: string[] = [];
    refused.set(env, found);
    using _clients = lookAlways(env, found);
    await ask(env, "all");
    await env.advance("30s");
    // Until the last password has run out.
    await env.advance("5m");
  },
  check: problemsOf,
  // The passwords differ, and so do the moments at which they came.
  same: ({ objects }) => Object.keys(objects).filter((name) => !name.startsWith("Endpoint")),
};

async function problemsOf(env: TestEnv): Promise<readonly string[]> {
  const now = await passwordIn(env, "cache-auth");
  const { data } = await env.run(env.client.of(Secret).get({ ...at, name: "cache.system" }));
  const { accounts } = JSON.parse(Buffer.from(data?.["state"] ?? "", "base64").toString()) as {
    readonly accounts: Readonly<
      Record<string, { readonly hashes: readonly string[]; readonly old: readonly unknown[] }>
    >;
  };
  return [
    ...(refused.get(env) ?? []),
    ...(accepted(env, "default", now).flat().every(Boolean) ? [] : ["the password is not accepted"]),
    ...((await passwordIn(env, "cache-binding")) === now ? [] : ["the binding has another one"]),
    ...(data?.["next-key"] === undefined ? [] : ["the key was not turned"]),
    ...Object.entries(accounts).flatMap(([user, { hashes, old }]) =>
      hashes.length === 1 && old.length === 0 ? [] : [`${user} has ${hashes.length} and ${old.length}`],
    ),
  ];
}
