import { isNotFound } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ServerActing } from "./acting.ts";
import { RedisFailure } from "./engine/failure.ts";
import type { RedisServer } from "./engine/types.ts";
import { memoryBytes } from "./config/maxmemory.ts";
import { configSetAnnotation, redisPort } from "./names.ts";
import type { SetConfig } from "./plan/live-config.ts";
import { systemLogin } from "./system-secret.ts";

/**
 * Sets values in a running server, all or none, reads them back, and says on its pod that it has them. What the server
 * refuses is remembered, and no other server is asked; one that cannot be reached is seen to in the next run.
 */
export async function setConfig(action: SetConfig, acting: ServerActing): Promise<void> {
  const { context, instance, trials } = acting;
  const { server: target, settings, hash } = action;
  if (trials.of(instance.metadata)?.hash === hash) return;
  try {
    using server = connect(action, acting);
    const [reply = null] = await server.call([["CONFIG", "SET", ...settings.flat()]], { timeoutMs: 5000 });
    if (reply instanceof RedisFailure) throw reply;
    await readBack(server, settings);
  } catch (error) {
    if (!(error instanceof RedisFailure)) throw error;
    const isRefusal = error.isReply && error.code === "ERR";
    context.logger.info("A server has not taken a config", { pod: target.pod, code: error.code });
    if (!isRefusal) return;
    const names = settings.map(([name]) => name);
    trials.refuse(instance.metadata, { hash, pod: target.pod, words: wordsOf(error), names });
    return;
  }
  await mark(action, acting);
  context.logger.info("Config set", { pod: target.pod, directives: settings.map(([name]) => name) });
}

function connect(
  { server: { host, as } }: SetConfig,
  { engine, context, instance }: ServerActing,
): RedisServer {
  const login = systemLogin(context, instance, as);
  if (login === undefined)
    throw new RedisFailure("ABORTED", "The Secret of the system's users is not there.");
  return engine.server({ host, port: redisPort }, login);
}

/** Servers write some values in another way than they were given: amounts of memory in bytes, lists in full. */
async function readBack(server: RedisServer, settings: SetConfig["settings"]): Promise<void> {
  const replies = await server.call(settings.map(([name]) => ["CONFIG", "GET", name]));
  for (const [i, [name, wanted]] of settings.entries()) {
    const reply = replies[i];
    if (reply instanceof RedisFailure) throw reply;
    const found: unknown = Array.isArray(reply) ? reply[1] : undefined;
    const isSame = typeof found === "string" && (wanted.includes(" ") || isEqual(found, wanted));
    if (!isSame) throw new RedisFailure("PROTOCOL", `CONFIG GET ${name} does not give what was set.`);
  }
}

function isEqual(found: string, wanted: string): boolean {
  if (found.toLowerCase() === wanted.toLowerCase()) return true;
  const bytes = memoryBytes(wanted);
  return bytes !== undefined && bytes === memoryBytes(found);
}

/** `ERR CONFIG SET failed (possibly related to argument 'save') - Invalid save parameters` */
function wordsOf({ message }: RedisFailure): string {
  return message.replace(/^ERR (?:CONFIG SET failed )?/u, "").trim();
}

/** On that very pod: another one of its name has another server. */
async function mark(
  { server: { pod }, uid, marker }: SetConfig,
  { context, instance }: ServerActing,
): Promise<void> {
  const change = { metadata: { uid, annotations: { [configSetAnnotation]: marker } } };
  const key = { namespace: instance.metadata.namespace, name: pod };
  try {
    await context.client.of(Pod).patch(key, { merge: change }, { signal: context.signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
