import { silentLogger, type Logger } from "@kedge/machinery";
import { Namespace } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { startTestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { seededRedisOperator } from "./testing/operators.ts";

const namespaces = ["one", "two"];

// Whatever is written into a namespace that goes is refused: that is expected, and no reason for a stack.
it.each([0, 5, 20, 60, 120])(
  "two namespaces that go with their instances log no error (after %d writes of the controllers)",
  async (moment) => {
    const { logger, lines } = recorded();
    await using env = await startTestEnv({ operators: [seededRedisOperator], node: false, logger });
    const { client } = env;
    for (const name of namespaces) await env.create(Namespace, { metadata: { name } });
    await env.untilQuiet();
    let writes = 0;
    let deletion: Promise<unknown> | undefined;
    const deleteBoth = (): Promise<unknown> =>
      Promise.all(namespaces.map((name) => client.of(Namespace).delete({ name })));
    for (const name of ["controllers", "redis"]) {
      env.process(name).onWrite = () => {
        if (writes++ >= moment) deletion ??= deleteBoth();
      };
    }
    for (const namespace of namespaces) {
      for (const name of ["a", "b", "c"]) {
        const made = client.of(RedisInstance).create(instance(namespace, name));
        // The namespace may be going already.
        await env.run(made.catch(() => undefined));
      }
    }
    await env.untilQuiet();
    await env.run((deletion ??= deleteBoth()));
    for (const name of namespaces) await env.eventuallyGone(Namespace, { name });
    expect(lines).toEqual([]);
  },
);

function instance(namespace: string, name: string) {
  return withDefaults(RedisInstance, {
    metadata: { namespace, name },
    spec: { image: "redis:7.0", replicas: 2, deletionPolicy: "Delete" },
  });
}

/** A logger that keeps errors, and whatever has a stack. */
function recorded(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
    const error = fields?.["error"];
    if (level === "error" || error instanceof Error) lines.push(`${level} ${message}: ${String(error)}`);
  };
  const logger: Logger = {
    ...silentLogger,
    info: keep("info"),
    warn: keep("warn"),
    error: keep("error"),
    with: () => logger,
  };
  return { logger, lines };
}
