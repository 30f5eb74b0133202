import type { Transport } from "@kedge/client";

/** How many requests of each sort: `PATCH pods/status`. */
export type RequestCounts = ReadonlyMap<string, number>;

/** The same transport, and what went through it. */
export function countRequests(transport: Transport): {
  readonly transport: Transport;
  readonly counts: RequestCounts;
} {
  const counts = new Map<string, number>();
  return {
    counts,
    transport: {
      request: (request) => {
        const sort = sortOf(request.method, request.path);
        counts.set(sort, (counts.get(sort) ?? 0) + 1);
        return transport.request(request);
      },
      upgrade: (request) => transport.upgrade(request),
      close: () => transport.close(),
    },
  };
}

/** The verb with the resource and its part, whatever the namespace and the name are. */
function sortOf(method: string, path: string): string {
  const [place = "", query = ""] = path.split("?");
  const [, root, ...rest] = place.split("/");
  const inGroup = rest.slice(root === "api" ? 1 : 2);
  const [plural, , part] = inGroup[0] === "namespaces" && inGroup.length > 2 ? inGroup.slice(2) : inGroup;
  const verb = query.includes("watch=true") ? "WATCH" : method;
  return `${verb} ${plural ?? place}${part === undefined ? "" : `/${part}`}`;
}
