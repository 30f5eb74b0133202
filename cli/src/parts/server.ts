import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import {
  AuditFile,
  createApiServer,
  listen,
  nodeStats,
  parseAuditPolicy,
  parseEncryptionConfig,
  podConnects,
  proxyConnects,
  type Asked,
  type EncryptionConfig,
} from "@kedge/apiserver";
import { Client, inProcessTransport } from "@kedge/client";
import { addControllers } from "@kedge/controllers";
import { loadAuthority } from "@kedge/pki";
import { realClock, realRandom } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { loadBalancerRange } from "@kedge/network";
import { localPathClass } from "@kedge/node/local-path-class";
import { createLogger, createManager, type Cached, type Manager } from "@kedge/runtime";
import { defaultProfile, schedulerController } from "@kedge/scheduler";
import { readServerCertificates } from "../cluster/certificates.ts";
import { clusterFolder } from "../cluster/cluster-folder.ts";
import { isSimulated, loadSettings, type ClusterSettings } from "../cluster/cluster-settings.ts";
import { hasNamespaces, machineAddress } from "../cluster/node-network.ts";
import { openStore } from "../cluster/open-store.ts";
import { ownRoles } from "../cluster/own-roles.ts";
import { portProblem } from "../cluster/port-problem.ts";
import { readPrivateFile } from "../cluster/private-file.ts";
import { tellChanges } from "../cluster/tell-changes.ts";
import { keepDoorForPods } from "./door-for-pods.ts";
import { runPart, type RunningPart } from "./part.ts";
import { runLeading } from "./run-leading.ts";

// The control plane: API server, controllers and scheduler in one process. Started by `kedge up` with the folder.
const clock = realClock;
const random = realRandom;
const folder = clusterFolder(process.argv[2]);
const logger = createLogger({ clock, level: "info" });

await runPart({ clock, logger, start });

async function start(onProgress: (what: string) => void): Promise<RunningPart> {
  const settings = await loadSettings(folder);
  const certificates = await readServerCertificates(folder);
  const store = await openStore(folder, settings, { clock, random, logger, onProgress });
  const { authority } = certificates;
  const toNodes = { clock, authority, clientCertificate: certificates.toNodes };
  const audit = auditOf(settings);
  const server = createApiServer({
    store,
    clock,
    random,
    logger: logger.with({ component: "apiserver" }),
    serviceRange: settings.serviceRange,
    serverPort: settings.port,
    advertiseAddress: machineAddress(settings),
    podConnects: podConnects(toNodes),
    proxies: proxyConnects(toNodes),
    nodeStats: nodeStats(toNodes),
    clientAuthority: authority,
    frontProxy: certificates.frontProxy,
    serviceAccountKey: certificates.serviceAccountKey,
    encryption: encryptionOf(settings),
    audit,
    roles: ownRoles,
    onDecided: tellRefusal,
  });
  await server.start();
  const opened = {
    clock,
    logger,
    port: settings.port,
    serving: certificates.server,
    clientAuthority: authority,
  };
  const doorAt = (host: string): ReturnType<typeof listen> => listen(server, { ...opened, host });
  const door = await doorAt("127.0.0.1").catch((error: unknown) => {
    throw portProblem(error, settings.port);
  });

  const clientFor = (name: string, user: string): Client => {
    const identity = server.doorFor({ name: user, groups: ["system:authenticated"] });
    return new Client(inProcessTransport(identity.handle, identity.upgrade), {
      clock,
      random,
      userAgent: `${name}/kedge`,
      // None of them applies, and they are half of what would have to be read.
      dropManagedFields: true,
    });
  };
  const managerFor = (name: string, user: string, lease?: string): Manager => {
    // Thousands of writes that nobody asked about; an operator's are another matter.
    const logWrites = "debug";
    return createManager({
      client: clientFor(name, user),
      clock,
      random,
      logger: logger.with({ component: name }),
      logWrites,
      name,
      metrics: "none",
      // Another control plane may work on the same etcd. Its Lease is one that Kubernetes' own would wait for, too.
      ...(store.isShared &&
        lease !== undefined && {
          leaderElection: {
            namespace: "kube-system",
            name: lease,
            identity: `${hostname()}_${random.uuid()}`,
          },
        }),
    });
  };
  const { nodeMonitorGracePeriod: grace } = settings;
  const signer = await loadAuthority(certificates.signer, { clock, random });
  const makeControllers = (): Manager => {
    const name = "kube-controller-manager";
    const manager = managerFor(name, `system:${name}`, name);
    addControllers(manager, {
      clock,
      logger: logger.with({ component: name }),
      authority,
      signer,
      loadBalancerRange: loadBalancerRange(settings.podRange),
      ...(grace !== undefined && { nodeLifecycle: { monitorGracePeriod: grace * 1000 } }),
    });
    return manager;
  };
  const makeScheduler = (): Manager => {
    const manager = managerFor("default-scheduler", "system:kube-scheduler", "kube-scheduler");
    manager.add(schedulerController({ profiles: settings.schedulerProfiles ?? [defaultProfile] }));
    return manager;
  };
  const [controllers, scheduler] = [makeControllers(), makeScheduler()];
  // What is shown and forwarded does not depend on who leads.
  const views = store.isShared ? managerFor("kedge", "system:kube-controller-manager") : controllers;

  tellChanges(views.informers.of(Pod), podState);

  const classes = clientFor("kedge", "system:kube-controller-manager").of(StorageClass);
  // Who stands by until another is silent is ready: its API server is.
  const begun = store.isShared ? [] : [controllers, scheduler];
  const stopping = new AbortController();
  // A manager that fails takes the process with it; it is started again with a clean memory.
  const { signal } = stopping;
  const work = [
    runLeading(controllers, makeControllers, signal),
    runLeading(scheduler, makeScheduler, signal),
    ...(views === controllers ? [] : [views.run(signal)]),
  ];
  // Nobody is in simulated pods who could come.
  if (!isSimulated(settings))
    work.push(keepDoorForPods(() => doorAt(machineAddress(settings)), { clock, signal }));
  if (hasNamespaces(settings)) {
    const { runMachineProxy } = await import("./machine-proxy.ts");
    work.push(runMachineProxy(settings, { informers: views.informers, clock, logger, signal }));
  }
  await Promise.race([
    Promise.all([
      ...begun.map((manager) => manager.ready()),
      classes.apply(localPathClass, { fieldManager: "kedge", force: true }),
    ]),
    ...work,
  ]);
  return {
    // A server that has lost its store begins anew.
    work: [...work, server.ended()],
    async stop() {
      stopping.abort();
      await Promise.allSettled(work);
      await door.close();
      await server.close();
      await audit?.sink.close();
      await store.close();
    },
  };
}

function auditOf({ auditPolicyFile: file }: ClusterSettings) {
  if (file === undefined) return undefined;
  const policy = parseAuditPolicy(readFileSync(file, "utf8"));
  const path = join(folder.audit, "audit.log");
  // A file has so many bytes, and so many are kept beside the current one.
  const bounds = { maxBytes: 100 * 1024 * 1024, maxBackups: 10 };
  return { policy, sink: new AuditFile({ path, clock, logger, ...bounds }) };
}

function encryptionOf({ encryptionProviderConfig: file }: ClusterSettings): EncryptionConfig | undefined {
  return file === undefined ? undefined : parseEncryptionConfig(readPrivateFile(file));
}

/** What a part of ours may not do is a mistake of ours; users are told by their answers. */
function tellRefusal({ user, verb, resource, path }: Asked, isAllowed: boolean): void {
  if (isAllowed) return;
  if (!/^(?:system:kube-|system:node:|kedge:|system:serviceaccount:operator-system:)/u.test(user.name))
    return;
  const { group = "", plural = path, subresource = "", namespace = "", name = "" } = resource ?? {};
  const what = { verb, group, resource: subresource === "" ? plural : `${plural}/${subresource}` };
  logger.warn("A part of the cluster was refused", { user: user.name, ...what, namespace, name });
}

/** In a few words, as kubectl has it: why it waits, or its phase, and how many of its containers are ready. */
function podState({ metadata, status }: Cached<Pod>): string {
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  const statuses = status?.containerStatuses ?? [];
  const waiting = statuses.find(({ state }) => state?.waiting?.reason !== undefined)?.state?.waiting?.reason;
  return `${waiting ?? status?.phase ?? "Pending"} ${statuses.filter(({ ready }) => ready).length}/${statuses.length}`;
}
