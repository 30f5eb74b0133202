import type { Client } from "@kedge/client";
import { apiVersionOf, ifFound, type Kind } from "@kedge/machinery";
import { Namespace, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import type { ControlPlaneOptions } from "../control-plane.ts";
import { startOracle, type Oracle } from "../oracle.ts";
import { until } from "../wait.ts";
import type { RawObject } from "./mask-objects.ts";
import { startOurServer } from "./our-server.ts";
import { readEvents } from "./read-objects.ts";
import { runControllers, type ControllersSetup } from "./run-controllers.ts";
import { untilSame } from "./until-same.ts";

/** Two real API servers: one with the real controller-manager and scheduler, one with ours. */
export interface BothSides {
  /** The real one's first. */
  readonly clients: readonly Client[];
  /**
   * Does the same on both, in a new namespace of this name, until it is done there, and tells what differs then: "" when
   * nothing does.
   */
  compare(
    namespace: string,
    scenario: Scenario,
  ): Promise<{ readonly differences: string; readonly count: string }>;
  stop(): Promise<void>;
}

/** What is done on a side, and what is compared afterwards: objects of these kinds, and events. */
export interface Scenario {
  readonly kinds: readonly Kind[];
  readonly act: (client: Client, namespace: string) => Promise<void>;
  /** Objects of no namespace, too. */
  readonly others?: (client: Client) => Promise<readonly RawObject[]>;
}

/** How they are set up alike. */
export interface BothSidesOptions {
  readonly flags: NonNullable<ControlPlaneOptions["flags"]>["kube-controller-manager"];
  readonly ours: Partial<ControllersSetup>;
}

/** Starts both. */
export async function startBothSides({ flags = {}, ours }: BothSidesOptions): Promise<BothSides> {
  const [real, other] = await Promise.all([
    startOracle({
      controllerManager: true,
      scheduler: true,
      flags: { "kube-controller-manager": flags },
    }),
    startOracle(),
  ]);
  const controllers = await runControllers({ config: other.adminConfig, authority: "none", ...ours });
  return sidesOf([real, other], () => controllers.stop());
}

/**
 * Starts two API servers, a real one and ours, each with a real controller-manager and scheduler as they are by default:
 * they speak protobuf, elect leaders and have tokens of their own.
 */
export async function startBothServers({
  flags = {},
}: Pick<BothSidesOptions, "flags">): Promise<BothServers> {
  const elected = { "leader-elect": "true" };
  const programs = {
    controllerManager: true,
    scheduler: true,
    flags: { "kube-controller-manager": { ...elected, ...flags }, "kube-scheduler": elected },
  };
  const [real, ours] = await Promise.all([
    startOracle(programs),
    startOracle({ ...programs, server: startOurServer }),
  ]);
  return { ...sidesOf([real, ours], () => Promise.resolve()), ours };
}

/** The same, and a look at what the real programs say of our server. */
export interface BothServers extends BothSides {
  readonly ours: Oracle;
}

function sidesOf(oracles: readonly Oracle[], stopControllers: () => Promise<void>): BothSides {
  const clients = oracles.map(({ admin }) => admin);
  return {
    clients,
    async compare(namespace, { kinds, act, others }) {
      await Promise.all(
        clients.map(async (client) => {
          await makeNamespace(client, namespace);
          await act(client, namespace);
        }),
      );
      return await untilSame(() =>
        Promise.all(
          clients.map(async (client) => [
            ...(await readKinds(client, namespace, kinds)),
            ...((await others?.(client)) ?? []),
            ...(await readAllEvents(client, namespace)),
          ]),
        ),
      );
    },
    async stop() {
      await stopControllers();
      await Promise.all(oracles.map((oracle) => oracle.stop()));
    },
  };
}

/** All objects of a kind, of whatever namespace, without who wrote what. */
export async function readCluster(client: Client, kind: Kind): Promise<readonly RawObject[]> {
  const { items } = (await client.getJson(`${rootOf(kind)}/${kind.plural}`)) as {
    readonly items: readonly RawObject[];
  };
  return items.map((item) => withoutHistory(item, kind));
}

/** Makes a namespace in which pods can be made. */
export async function makeNamespace(client: Client, name: string): Promise<void> {
  await client.of(Namespace).create({ metadata: { name }, spec: {} });
  const account = { namespace: name, name: "default" };
  await until(
    `the namespace ${name} has its service account`,
    async () => (await ifFound(client.of(ServiceAccount).get(account))) !== undefined,
  );
}

async function readKinds(
  client: Client,
  namespace: string,
  kinds: readonly Kind[],
): Promise<readonly RawObject[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const path = `${rootOf(kind)}/namespaces/${namespace}/${kind.plural}`;
      const { items } = (await client.getJson(path)) as { readonly items: readonly RawObject[] };
      return items.map((item) => withoutHistory(item, kind));
    }),
  );
  return lists.flat();
}

function rootOf(kind: Kind): string {
  return `/${kind.group === "" ? "api" : "apis"}/${apiVersionOf(kind)}`;
}

function withoutHistory(item: RawObject, kind: Kind): RawObject {
  const { managedFields: _, ...metadata } = item.metadata;
  return { ...item, kind: kind.kind, metadata };
}

/** Which events are combined depends on how close together they come; the original scheduler's have no source. */
async function readAllEvents(client: Client, namespace: string): Promise<readonly RawObject[]> {
  const events = await readEvents(client, namespace);
  return events
    .filter(({ message }) => !String(message).startsWith("(combined"))
    .map((event) => ({ ...event, source: undefined }));
}
