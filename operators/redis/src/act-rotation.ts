import { ifFound, isControlledBy, type DeepReadonly } from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import { turnSystemKey } from "./act-system-secret.ts";
import type { Acting, ServerActing } from "./acting.ts";
import { clientUser } from "./credentials/users-text.ts";
import { RedisFailure } from "./engine/failure.ts";
import type { Login } from "./engine/types.ts";
import { namesOf, nextIsOursKey, nextPasswordKey, passwordKey, redisPort } from "./names.ts";
import type { FinishRotation } from "./plan/credentials.ts";
import { passwordSource } from "./password.ts";
import { rotationStep } from "./rotation.ts";
import { newPassword } from "./specs/auth-secret.ts";
import { systemContent } from "./system-secret.ts";
import { probeUser, systemPassword } from "./users.ts";

/**
 * Begins, changes or takes back a rotation of the clients' password: writes into our own Secret which one follows. What
 * is to be done is decided again, on what the API server has now.
 */
export async function turnPassword(acting: Acting): Promise<void> {
  const { instance, secretRandom } = acting;
  const { authSecret, inUse } = await readBoth(acting);
  if (inUse === undefined) return;
  const step = rotationStep({ instance, authSecret, inUse });
  if (step === "begin")
    await patch(acting, inUse, {
      [nextPasswordKey]: authSecret?.data?.[passwordSource(instance).key] ?? "",
      [nextIsOursKey]: null,
    });
  if (step === "make")
    await patch(acting, inUse, { [nextPasswordKey]: newPassword(secretRandom), [nextIsOursKey]: yes });
  if (step === "cancel") await patch(acting, inUse, { [nextPasswordKey]: null, [nextIsOursKey]: null });
}

/**
 * Makes the new passwords the ones in use, when every server has let us in with them. What clients read first, if we made
 * it: were ours the first, one that was not written would look like a wish for the old password.
 */
export async function finishRotation(action: FinishRotation, acting: ServerActing): Promise<void> {
  const { context } = acting;
  if (action.of === "system") {
    const key = systemContent(context, acting.instance)?.nextKey;
    if (key === undefined) return;
    const login = { username: probeUser, password: systemPassword(key, probeUser) };
    if (!(await isAccepted(action, acting, login))) return;
    await turnSystemKey(acting, "finish");
    context.logger.info("The system's users have other passwords");
    return;
  }
  const { madeHere, inUse } = await readBoth(acting);
  const next = inUse?.data?.[nextPasswordKey];
  if (inUse === undefined || next === undefined) return;
  const login = { username: clientUser, password: Buffer.from(next, "base64").toString() };
  if (!(await isAccepted(action, acting, login))) return;
  if (madeHere !== undefined && madeHere.data?.[passwordKey] !== next)
    await patch(acting, madeHere, { [passwordKey]: next });
  await patch(acting, inUse, { [passwordKey]: next, [nextPasswordKey]: null, [nextIsOursKey]: null });
  context.events.record(acting.instance, {
    type: "Normal",
    reason: "PasswordChanged",
    message: `All servers accept the new password. The old one is accepted for ${acting.instance.spec.auth.oldPasswordSeconds} s more.`,
  });
}

/** Logs in at each of them. One that cannot be reached is asked in the next run. */
async function isAccepted(
  { servers }: FinishRotation,
  { engine, context }: ServerActing,
  login: Login,
): Promise<boolean> {
  const tried = await Promise.all(
    servers.map(async ({ pod, host }) => {
      using server = engine.server({ host, port: redisPort }, login);
      try {
        await server.call([["PING"]], { signal: context.signal });
        return true;
      } catch (error) {
        if (!(error instanceof RedisFailure)) throw error;
        context.logger.info("A server does not take the new password yet", { pod, code: error.code });
        return false;
      }
    }),
  );
  return tried.every(Boolean);
}

/** From the server: what has just been written may not be in a cache. */
async function readBoth({ context, instance }: Acting): Promise<{
  /** The users', which may be anybody's. */
  readonly authSecret: DeepReadonly<Secret> | undefined;
  /** `<name>-auth`, when it is ours to write. */
  readonly madeHere: DeepReadonly<Secret> | undefined;
  readonly inUse: DeepReadonly<Secret> | undefined;
}> {
  const { namespace, name } = instance.metadata;
  const { authSecret, passwordInUse } = namesOf(name);
  const { signal } = context;
  const read = async (secret: string): Promise<DeepReadonly<Secret> | undefined> =>
    await ifFound(context.client.of(Secret).get({ namespace, name: secret }, { signal }));
  const ours = (secret: DeepReadonly<Secret> | undefined): DeepReadonly<Secret> | undefined =>
    secret !== undefined && isControlledBy(secret, instance) ? secret : undefined;
  const own = await read(authSecret);
  const { secret } = passwordSource(instance);
  return {
    inUse: ours(await read(passwordInUse)),
    authSecret: secret === authSecret ? own : await read(secret),
    madeHere: ours(own),
  };
}

/** As it was read. */
async function patch(
  { context: { client, signal } }: Acting,
  { metadata }: DeepReadonly<Secret>,
  data: Readonly<Record<string, string | null>>,
): Promise<void> {
  const { namespace, name, uid, resourceVersion } = metadata;
  const merge = { metadata: { uid, resourceVersion }, data };
  await client.of(Secret).patch({ namespace, name }, { merge }, { signal });
}

/** In base64. */
const yes = Buffer.from("yes").toString("base64");
