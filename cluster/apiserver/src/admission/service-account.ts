import { generateName } from "@kedge/machinery";
import { Pod, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import type { PodSpec, Volume } from "@kedge/machinery/kinds/core/v1";
import { lookUp } from "../registry/lookup.ts";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import type { ApiObject } from "../registry/types.ts";
import { isAbout, refusal } from "./request.ts";
import type { AdmissionContext, AdmissionPlugin, AdmissionRequest } from "./types.ts";

/** Gives a new pod its service account, and what comes with one: pull secrets and the volume with its token. */
export const serviceAccount: AdmissionPlugin = {
  name: "ServiceAccount",
  operations: ["CREATE"],
  admit: (request, context) => {
    const { object } = request;
    if (object === undefined || !isAbout(request, Pod)) return undefined;
    // Pods that a node agent runs by itself have no account.
    if (object.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined) return undefined;
    return setAccount(request, object, context);
  },
};

async function setAccount(
  request: AdmissionRequest,
  object: ApiObject,
  context: AdmissionContext,
): Promise<void> {
  const pod = decodedAs(Pod, object);
  const spec = (pod.spec ??= {});
  const name = spec.serviceAccountName ?? "default";
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
  const { namespace } = request;
  const account = await findAccount({ namespace, name }, context);
  if (account === undefined) {
    throw refusal(
      request,
      `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
    );
  }
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true)
    mountToken(spec, context);
  if ((spec.imagePullSecrets ?? []).length === 0 && account.imagePullSecrets !== undefined)
    spec.imagePullSecrets = account.imagePullSecrets.map((secret) => ({ ...secret }));
}

/** The account `default` of a new namespace may be about to come: it is waited for. */
async function findAccount(
  key: { readonly namespace: string; readonly name: string },
  { objects, clock, random }: AdmissionContext,
): Promise<Decoded<ServiceAccount> | undefined> {
  const attempts = key.name === "default" ? 10 : 1;
  const interval = 100 + random.int(100);
  for (let attempt = 1; ; attempt++) {
    const account = lookUp(objects, ServiceAccount, key);
    if (account !== undefined || attempt >= attempts) return account;
    await clock.sleep(interval);
  }
}

function mountToken(spec: Decoded<PodSpec>, { random }: AdmissionContext): void {
  const given = spec.volumes?.find((volume) => volume.name?.startsWith(`${volumeName}-`));
  const name = given?.name ?? generateName(`${volumeName}-`, random);
  let isMounted = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (container.volumeMounts?.some((mount) => mount.mountPath === mountPath)) continue;
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }];
    isMounted = true;
  }
  if (given === undefined && isMounted) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

const volumeName = "kube-api-access";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

function tokenVolume(name: string): Decoded<Volume> {
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        // Seven seconds more than an hour is how the token controller tells these from others.
        { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
    },
  };
}
