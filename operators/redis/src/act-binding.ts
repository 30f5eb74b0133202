import { controllerReference, ifFound, isControlledBy, OwnershipError } from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import type { Acting } from "./acting.ts";
import { bindingData, bindingType } from "./binding.ts";
import { labelsOf, namesOf } from "./names.ts";

/** Makes the Secret that applications bind to say what is so. The password is read here, and goes nowhere else. */
export async function writeBinding({ context, instance }: Acting): Promise<void> {
  const { namespace, name } = instance.metadata;
  const { binding, passwordInUse } = namesOf(name);
  const { client, signal } = context;
  const secrets = client.of(Secret);
  const inUse = await ifFound(secrets.get({ namespace, name: passwordInUse }, { signal }));
  const data = bindingData(
    instance,
    inUse !== undefined && isControlledBy(inUse, instance) ? inUse : undefined,
  );
  if (data === undefined) return;
  const key = { namespace, name: binding };
  const present = await ifFound(secrets.get(key, { signal }));
  if (present === undefined) {
    const metadata = { ...key, labels: labelsOf(name), ownerReferences: [controllerReference(instance)] };
    await secrets.create({ metadata, type: bindingType, data: { ...data } }, { signal });
    return;
  }
  if (!isControlledBy(present, instance)) {
    throw new OwnershipError(
      "OtherController",
      `The Secret ${binding} is not this instance's, which needs the name: delete or rename it.`,
    );
  }
  const { uid, resourceVersion } = present.metadata;
  // Null takes away what is not said any more.
  const over = Object.fromEntries(Object.keys(present.data ?? {}).map((gone) => [gone, null]));
  const merge = { metadata: { uid, resourceVersion, labels: labelsOf(name) }, data: { ...over, ...data } };
  await secrets.patch(key, { merge }, { signal });
}
