import type { Client } from "@kedge/client";
import { ifFound, messageOf } from "@kedge/machinery";
import { ConfigMap, Secret } from "@kedge/machinery/kinds/core/v1";
import { environmentOf, environmentReferences } from "../containers/environment.ts";
import type { PodAddresses } from "../containers/fields.ts";
import type { ApiPod, ContainerDefinition } from "../model/types.ts";
import { claimFolder } from "../volumes/claim.ts";
import { MountError } from "../volumes/mount-error.ts";
import { configMapFiles, secretFiles, usualMode } from "../volumes/payload.ts";

/** Where a simulated pod looks for what it needs. */
export interface PodNeeds {
  readonly client: Client;
  readonly pod: ApiPod;
  readonly signal: AbortSignal;
}

/** Looks for all that a pod's volumes need. Throws, as a node that mounts them does, when something is not there. */
export async function checkVolumes(needs: PodNeeds): Promise<void> {
  const { client, pod, signal } = needs;
  const { namespace } = pod.metadata;
  for (const { name: volume, configMap, secret, projected, persistentVolumeClaim } of pod.spec?.volumes ??
    []) {
    try {
      for (const source of [{ configMap, secret }, ...(projected?.sources ?? [])]) {
        if (source.configMap !== undefined) await checkConfigMap(needs, source.configMap);
        if (source.secret !== undefined) await checkSecret(needs, source.secret);
      }
      if (persistentVolumeClaim !== undefined) {
        await claimFolder(client, { namespace, name: persistentVolumeClaim.claimName }, signal);
      }
    } catch (error) {
      throw new MountError(volume, messageOf(error));
    }
  }
}

/** Looks for all that a container's environment needs. Throws a `ConfigError` that names what is missing. */
export async function checkEnvironment(
  needs: PodNeeds,
  container: ContainerDefinition,
  addresses: PodAddresses,
): Promise<void> {
  const { configMaps, secrets } = environmentReferences(container);
  const foundMaps = new Map<string, ConfigMap | undefined>();
  const foundSecrets = new Map<string, Secret | undefined>();
  for (const name of configMaps) foundMaps.set(name, await readConfigMap(needs, name));
  for (const name of secrets) foundSecrets.set(name, await readSecret(needs, name));
  const objects = {
    configMap: (name: string) => foundMaps.get(name),
    secret: (name: string) => foundSecrets.get(name),
  };
  environmentOf({ pod: needs.pod, container, addresses, objects, services: {}, allocatable: {} });
}

type Selection = Omit<Parameters<typeof configMapFiles>[2], "defaultMode">;

async function checkConfigMap(
  needs: PodNeeds,
  source: Selection & { readonly name?: string | undefined },
): Promise<void> {
  const { name = "" } = source;
  configMapFiles(name, await readConfigMap(needs, name), { ...source, defaultMode: usualMode });
}

/** Volumes and projections name it differently. */
async function checkSecret(
  needs: PodNeeds,
  source: Selection & { readonly name?: string | undefined; readonly secretName?: string | undefined },
): Promise<void> {
  const name = source.secretName ?? source.name ?? "";
  secretFiles(name, await readSecret(needs, name), { ...source, defaultMode: usualMode });
}

function readConfigMap({ client, pod, signal }: PodNeeds, name: string): Promise<ConfigMap | undefined> {
  const { namespace } = pod.metadata;
  return ifFound(client.of(ConfigMap).get({ namespace, name }, { signal }));
}

function readSecret({ client, pod, signal }: PodNeeds, name: string): Promise<Secret | undefined> {
  const { namespace } = pod.metadata;
  return ifFound(client.of(Secret).get({ namespace, name }, { signal }));
}
