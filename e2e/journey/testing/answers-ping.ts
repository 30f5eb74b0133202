import type { Client } from "@kedge/client";
import { Secret, Service } from "@kedge/machinery/kinds/core/v1";
import { askRedis } from "../../cluster/testing/redis-connection.ts";

/** Whether the Redis of an instance answers PING through its Service, to one who knows its password. */
export async function answersPing(
  client: Client,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<boolean> {
  const { spec } = await client.of(Service).get({ namespace, name });
  const secret = await client.of(Secret).get({ namespace, name: `${name}-auth` });
  const password = Buffer.from(secret.data?.["password"] ?? "", "base64").toString();
  // Nobody may listen there yet.
  const answer = await askRedis({ host: spec?.clusterIP ?? "", password }, "PING").catch(() => "");
  return answer.split("\r\n").includes("+PONG");
}
