import { createApiServer, listen, podConnects, type Door } from "@kedge/apiserver";
import { applicationOperator } from "@kedge/application-operator";
import { Client, inProcessTransport } from "@kedge/client";
import { addControllers } from "@kedge/controllers";
import { findCondition, realClock as clock, realRandom as random, silentLogger } from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import type { ClusterNetwork } from "@kedge/network";
import { localPathClass } from "@kedge/node/local-path-class";
import type { Authority } from "@kedge/pki";
import { redisOperator } from "@kedge/redis-operator";
import { createManager, type Manager } from "@kedge/runtime";
import { schedulerController } from "@kedge/scheduler";
import { crdOf } from "@kedge/schema";
import { openLmdbStore } from "@kedge/store";
import { join } from "node:path";
import { until } from "../../real/wait.ts";
import type { Instruments } from "./instruments.ts";

const both = [redisOperator(), applicationOperator];

/** What a control plane is made with. */
export interface ControlPlaneOptions {
  readonly folder: string;
  readonly settings: ClusterNetwork;
  readonly authority: Authority;
  readonly instruments: Instruments;
  /** What it has to end, in the order of the beginnings. */
  readonly stack: AsyncDisposableStack;
}

/** API server, controllers, scheduler and operators. */
export interface ControlPlane {
  readonly url: string;
  /** A client through the in-process door, as a user who may do everything. */
  clientOf(user: string, userAgent: string): Client;
}

/** Starts it; resolves when all caches are full. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { instruments, stack } = options;
  const { doorFor, url } = await startServer(options);
  const clientOf = (user: string, userAgent: string): Client => {
    const { handle, upgrade } = doorFor({ name: user, groups: ["system:masters", "system:authenticated"] });
    return new Client(inProcessTransport(handle, upgrade), { clock, random, userAgent });
  };
  await prepareCluster(clientOf("kubernetes-admin", "kedge-test"));

  const logger = instruments.logger ?? silentLogger;
  const managerOf = (name: string, user: string): Manager => {
    const client = clientOf(user, `${name}/test`);
    return createManager({ client, clock, random, name, logger: logger.with({ component: name }) });
  };
  const controllers = managerOf("kube-controller-manager", "system:kube-controller-manager");
  const { certificate: authority } = options.authority;
  addControllers(controllers, { clock, logger, authority });
  const scheduler = managerOf("default-scheduler", "system:kube-scheduler");
  scheduler.add(schedulerController());
  const operators = managerOf("kedge-operator", "system:serviceaccount:operator-system:kedge-operator");
  for (const controller of both.flatMap((operator) => operator.controllers())) operators.add(controller);

  const managers = {
    "kube-controller-manager": controllers,
    "default-scheduler": scheduler,
    "kedge-operator": operators,
  };
  for (const [name, manager] of Object.entries(managers)) {
    instruments.manager?.(name, manager);
    await runManager(manager, stack);
  }
  return { url, clientOf };
}

async function startServer({ folder, settings, authority, instruments, stack }: ControlPlaneOptions) {
  const lmdb = await openLmdbStore({ folder: join(folder, "store"), clock });
  stack.defer(() => lmdb.close());
  const server = createApiServer({
    store: instruments.store?.(lmdb) ?? lmdb,
    clock,
    random,
    logger: instruments.logger,
    serviceRange: settings.serviceRange,
    podConnects: podConnects({
      clock,
      authority: authority.certificate,
      clientCertificate: await authority.issueClient({ user: "kube-apiserver-kubelet-client" }),
    }),
  });
  await server.start();
  stack.defer(() => server.close());
  const doorFor: (user: Parameters<typeof server.doorFor>[0]) => Door = (user) => {
    const door = server.doorFor(user);
    return instruments.door?.(door) ?? door;
  };
  const https = await listen(
    { doorFor },
    {
      host: "127.0.0.1",
      port: 0,
      serving: await authority.issueServing({ name: "kube-apiserver", hosts: ["127.0.0.1"] }),
      clientAuthority: authority.certificate,
      clock,
      logger: instruments.logger,
    },
  );
  stack.defer(() => https.close());
  return { doorFor, url: `https://127.0.0.1:${https.port}` };
}

/** What `kedge up` brings: the operators' kinds, and a class for volumes. */
async function prepareCluster(client: Client): Promise<void> {
  const definitions = client.of(CustomResourceDefinition);
  for (const definition of both.flatMap(({ kinds }) => kinds).map((kind) => crdOf(kind))) {
    const { name } = definition.metadata;
    await definitions.apply(definition, { fieldManager: "kedge", force: true });
    await until(`${name} is served`, async () => {
      const { status } = await definitions.get({ name });
      return findCondition(status?.conditions, "Established")?.status === "True";
    });
  }
  await client.of(StorageClass).create(localPathClass);
}

async function runManager(manager: Manager, stack: AsyncDisposableStack): Promise<void> {
  const stopping = new AbortController();
  const running = manager.run(stopping.signal);
  stack.defer(async () => {
    stopping.abort();
    await running;
  });
  await Promise.race([manager.ready(), running]);
}
