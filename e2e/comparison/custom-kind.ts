import { until } from "../real/wait.ts";
import type { JsonObject } from "./json.ts";
import type { Server } from "./server.ts";

/** The group of the kinds that only comparisons have. */
export const comparisonGroup = "comparison.kedge.dev";

/** A kind of the comparisons' own. */
export interface CustomKind {
  readonly kind: string;
  readonly plural: string;
  readonly schema: JsonObject;
}

/** Makes the server serve a kind, with a status of its own. Does nothing when it does already. */
export async function serveKind(server: Server, { kind, plural, schema }: CustomKind): Promise<void> {
  await server.ask({
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body: {
      metadata: { name: `${plural}.${comparisonGroup}` },
      spec: {
        group: comparisonGroup,
        scope: "Namespaced",
        names: { kind, plural },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: schema },
            subresources: { status: {} },
          },
        ],
      },
    },
  });
  await until(`the server serves ${plural}`, async () => {
    const { status } = await server.ask({ method: "GET", path: `/apis/${comparisonGroup}/v1/${plural}` });
    return status === 200;
  });
}
