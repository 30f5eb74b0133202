import type { DeepReadonly } from "@kedge/machinery";
import type { Endpoint, EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import type { EndpointGroup } from "./endpoints.ts";

/** What one slice is to hold. */
export interface Piece extends EndpointGroup {
  /** The slice that holds most of it already; undefined: none. */
  readonly slice: DeepReadonly<EndpointSlice> | undefined;
}

const mostEndpoints = 100;

/**
 * Cuts a group into what slices may hold. An endpoint stays in the slice that it is in, and new ones go where there is
 * room: of a service with thousands of pods one that comes or goes changes one slice, not all after it. Within a slice
 * they have the order of the group.
 */
export function piecesOf(
  { ports, endpoints }: EndpointGroup,
  slices: readonly DeepReadonly<EndpointSlice>[],
): readonly Piece[] {
  const left = new Map(endpoints.map((endpoint) => [identityOf(endpoint), endpoint]));
  const kept = slices.map((slice) => ({ slice, endpoints: takeFrom(left, slice) }));
  const news = [...left.values()];
  const places = new Map(endpoints.map((endpoint, index) => [endpoint, index]));
  const placeOf = (endpoint: Endpoint): number => places.get(endpoint) ?? 0;
  const filled = kept.map(({ slice, endpoints: held }) => ({
    slice,
    ports,
    endpoints: [...held, ...news.splice(0, mostEndpoints - held.length)].toSorted(
      (one, other) => placeOf(one) - placeOf(other),
    ),
  }));
  const pieces: Piece[] = filled.filter((piece) => piece.endpoints.length > 0);
  while (news.length > 0) pieces.push({ slice: undefined, ports, endpoints: news.splice(0, mostEndpoints) });
  return pieces.length > 0 ? pieces : [{ slice: slices[0], ports, endpoints: [] }];
}

/** What of a slice is still wanted, as it is wanted now. */
function takeFrom(left: Map<string, Endpoint>, slice: DeepReadonly<EndpointSlice>): readonly Endpoint[] {
  return (slice.endpoints ?? []).flatMap((old) => {
    const identity = identityOf(old);
    const endpoint = left.get(identity);
    left.delete(identity);
    return endpoint ?? [];
  });
}

function identityOf({ targetRef, addresses }: DeepReadonly<Endpoint>): string {
  return targetRef?.uid ?? addresses.join(",");
}
