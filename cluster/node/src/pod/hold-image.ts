import { durationFromMs, durationToString, messageOf } from "@kedge/machinery";
import type { ResolvedImage } from "../images/types.ts";
import { ImageError } from "../oci/image-error.ts";
import { credentialsIn, type RegistryCredential } from "../oci/registry/docker-config.ts";
import type { Run } from "./container-run.ts";
import type { PodContext } from "./context.ts";
import type { PodEvents } from "./pod-events.ts";
import { StartError } from "./start-error.ts";

/** Somebody may remove an image at the moment at which it was found. */
const holdAttempts = 3;

/** Finds or brings a container's image, and keeps it from being removed. Throws a `StartError`. */
export async function holdImage(
  context: PodContext,
  events: PodEvents,
  run: Run & { readonly id: string },
  signal: AbortSignal,
): Promise<ResolvedImage> {
  const { images, runtime } = context;
  const container = { id: run.id, folder: runtime.writableFolder(run.id) ?? "" };
  for (let attempt = 0; attempt < holdAttempts; attempt += 1) {
    const image = await resolveImage(context, events, run, signal);
    if (await images.hold(image, container)) return image;
  }
  throw new StartError("ErrImagePull", `image "${run.container.image}" is removed as often as it is brought`);
}

async function resolveImage(
  context: PodContext,
  events: PodEvents,
  run: Run,
  signal: AbortSignal,
): Promise<ResolvedImage> {
  const { images, clock } = context;
  const { container } = run;
  const { image: name = "", imagePullPolicy: policy } = container;
  if (policy === "Never" && !(await images.has(name))) {
    throw new StartError(
      "ErrImageNeverPull",
      `Container image "${name}" is not present with pull policy of Never`,
    );
  }
  let broughtAt: number | undefined;
  const onBring = (): void => {
    broughtAt = clock.monotonic();
    events.normal("Pulling", `Pulling image "${name}"`, container.name);
  };
  const credentials = (): Promise<readonly RegistryCredential[]> => pullCredentials(events, run);
  try {
    const image = await images.resolve(name, { signal, policy, credentials, onBring });
    const tookMs = broughtAt === undefined ? undefined : clock.monotonic() - broughtAt;
    events.normal("Pulled", pulledMessage(name, image, tookMs), container.name);
    return image;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ImageError && error.code === "INVALID_NAME") {
      const why = `Failed to apply default image tag "${name}": couldn't parse image name "${name}": invalid reference format`;
      events.warning("InspectFailed", why, container.name);
      throw new StartError("InvalidImageName", why, error);
    }
    const message = messageOf(error);
    events.warning("Failed", `Failed to pull image "${name}": ${message}`, container.name);
    throw new StartError("ErrImagePull", message, error);
  }
}

/** In the kubelet's words, and where the image is from. */
function pulledMessage(name: string, { origin, stored }: ResolvedImage, tookMs: number | undefined): string {
  if (tookMs === undefined) return `Container image "${name}" already present on machine: ${origin}`;
  const took = durationToString(durationFromMs(Math.round(tookMs)));
  const size = stored === undefined ? "" : ` Image size: ${stored.size} bytes.`;
  return `Successfully pulled image "${name}" in ${took} (${took} including waiting).${size} It was ${origin}.`;
}

/** Who the pod is at registries: its own secrets, which admission has taken from its service account where it names none. */
async function pullCredentials(
  events: PodEvents,
  { pod, objects }: Run,
): Promise<readonly RegistryCredential[]> {
  const names = (pod.spec?.imagePullSecrets ?? []).flatMap(({ name = "" }) => (name === "" ? [] : [name]));
  const found = await Promise.all(
    names.map(async (name) => ({ name, secret: await objects.secret(name).catch(() => undefined) })),
  );
  const missing = found.filter(({ secret }) => secret === undefined).map(({ name }) => name);
  if (missing.length > 0) {
    events.warning(
      "FailedToRetrieveImagePullSecret",
      `Unable to retrieve some image pull secrets (${missing.join(", ")}); attempting to pull the image may not succeed.`,
    );
  }
  return found.flatMap(({ secret }) => (secret === undefined ? [] : credentialsIn(secret)));
}
