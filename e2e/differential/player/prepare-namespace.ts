import { bodyOf } from "./body.ts";
import { exchange } from "./exchange.ts";
import type { Stage } from "./play.ts";

/** Makes the namespace of a script. */
export async function prepareNamespace({ server, clock }: Stage, name: string): Promise<void> {
  const request = {
    method: "POST",
    path: "/api/v1/namespaces",
    query: {},
    headers: { "content-type": "application/json" },
    body: { json: { apiVersion: "v1", kind: "Namespace", metadata: { name } } },
  };
  using deadline = clock.deadline(120_000);
  const answer = await exchange(request, { server, variables: {}, signal: deadline.signal });
  const { value, text } = await bodyOf(answer);
  if (answer.status !== 201) {
    throw new Error(`the namespace could not be made: ${answer.status} ${JSON.stringify(value ?? text)}`);
  }
}
