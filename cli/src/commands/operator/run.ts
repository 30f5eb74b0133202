import { applicationControllers } from "@kedge/application-operator";
import { connect, loadConfig } from "@kedge/client";
import { realClock, realRandom } from "@kedge/machinery";
import { redisControllers } from "@kedge/redis-operator";
import { createLogger, createManager, type Controller, type LogLevel } from "@kedge/runtime";
import type { KedgeContext } from "../../context.ts";
import type { Address } from "../../parse-address.ts";
import { sayAlive, tellStarter } from "../../parts/part-messages.ts";

/** The flags of `kedge operator`. */
export interface OperatorFlags {
  readonly kubeconfig?: string;
  readonly namespace?: readonly string[];
  readonly controllers?: string;
  readonly healthAddress: Address;
  readonly metricsAddress: Address;
  readonly logLevel: LogLevel;
}

const known: Readonly<Record<string, () => readonly Controller[]>> = {
  redis: () => redisControllers(),
  application: () => applicationControllers(),
};

/** Runs the operators until a signal says stop, or the process that started us is gone. */
export async function runOperator(context: KedgeContext, flags: OperatorFlags): Promise<Error | void> {
  const names = (flags.controllers ?? Object.keys(known).join(",")).split(",").map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) {
    return new Error(
      `--controllers: there is no \`${unknown}\`. There are: ${Object.keys(known).join(", ")}`,
    );
  }
  const [clock, random] = [realClock, realRandom];
  const logger = createLogger({ clock, level: flags.logLevel });
  const config = await loadConfig({ env: context.process.env, clock, kubeconfig: flags.kubeconfig });
  const client = connect(config, { clock, random, logger, userAgent: "kedge-operator/0.1.0" });
  const manager = createManager({
    client,
    clock,
    random,
    logger,
    name: "kedge-operator",
    ...(flags.namespace === undefined ? {} : { namespaces: flags.namespace }),
    health: flags.healthAddress,
    metrics: flags.metricsAddress,
  });
  for (const name of names) for (const controller of known[name]?.() ?? []) manager.add(controller);

  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop).once("disconnect", stop);
  using _alive = sayAlive(clock);
  const running = manager.run(stopping.signal);
  await Promise.race([manager.ready(stopping.signal).catch(() => undefined), running]);
  if (!stopping.signal.aborted) {
    logger.info("The operators run", {
      controllers: names,
      health: manager.healthAddress,
      metrics: manager.metricsAddress,
    });
    tellStarter({ type: "ready" });
  }
  try {
    await running;
  } finally {
    await client.close();
    if (process.connected) process.disconnect();
  }
}
