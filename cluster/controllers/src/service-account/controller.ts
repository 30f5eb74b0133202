import { isAlreadyExists } from "@kedge/machinery";
import { ConfigMap, Namespace, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { defineController, watches, type Controller, type ReconcileContext } from "@kedge/runtime";

/** What pods check the API server's certificate with. */
const rootName = "kube-root-ca.crt";

/** Gives every namespace the service account `default` and the cluster's certificate authority. */
export function serviceAccountController(options: { readonly authority: string }): Controller {
  const toNamespace = (object: {
    readonly metadata: { readonly namespace: string; readonly name: string };
  }) =>
    object.metadata.name === "default" || object.metadata.name === rootName
      ? [{ name: object.metadata.namespace }]
      : [];
  return defineController({
    name: "serviceaccount-controller",
    for: Namespace,
    watches: [
      watches(ServiceAccount, toNamespace),
      watches(ConfigMap, toNamespace, { fieldSelector: `metadata.name=${rootName}` }),
    ],
    reconcile: (context) => reconcile(context, options.authority),
  });
}

async function reconcile(context: ReconcileContext<Namespace>, authority: string): Promise<undefined> {
  const { object: namespace, client } = context;
  if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return undefined;
  const { name } = namespace.metadata;
  if (context.read(ServiceAccount).get({ namespace: name, name: "default" }) === undefined) {
    await unlessThere(client.of(ServiceAccount).create({ metadata: { namespace: name, name: "default" } }));
  }
  const root = context.read(ConfigMap).get({ namespace: name, name: rootName });
  if (root === undefined) {
    const data = { "ca.crt": authority };
    await unlessThere(client.of(ConfigMap).create({ metadata: { namespace: name, name: rootName }, data }));
  } else if (root.data?.["ca.crt"] !== authority) {
    await client.of(ConfigMap).patch(root.metadata, { merge: { data: { "ca.crt": authority } } });
  }
  return undefined;
}

async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
