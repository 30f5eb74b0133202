import { apiVersionOf, StatusError, type Kind, type KubeList, type ListMeta } from "@kedge/machinery";
import { ClientError } from "../client-error.ts";
import { ListReader } from "../json/list-reader.ts";
import { call, type CallContext } from "./call.ts";
import { fromWire } from "./from-wire.ts";
import { withQuery } from "../transport/query.ts";
import { collectionPath, selectionQuery } from "./paths.ts";
import type { Listing, ListOptions } from "./types.ts";

const defaultPageSize = 500;
const defaultTimeout = 60_000;

/** Where a list is read from. */
export interface ListSource {
  readonly context: CallContext;
  readonly kind: Kind<unknown>;
  readonly accept: string;
}

/** A list that asks for its pages as they are wanted. Each iteration begins anew. */
export function listing<T>(source: ListSource, options: ListOptions): Listing<T> {
  return {
    pages: () => pages<T>(source, options),
    all: () => all<T>(source, options),
    async *[Symbol.asyncIterator]() {
      for await (const page of pages<T>(source, options)) yield* page.items;
    },
  };
}

async function* pages<T>(source: ListSource, options: ListOptions): AsyncGenerator<KubeList<T>> {
  let token = options.continue;
  do {
    const page = await readPage<T>(source, options, token);
    yield page;
    token = page.metadata.continue;
  } while (token !== undefined && token !== "");
}

/** One list of one version. A server that has forgotten the version between two pages is asked for all at once. */
async function all<T>(source: ListSource, options: ListOptions): Promise<KubeList<T>> {
  let list: KubeList<T> | undefined;
  try {
    for await (const page of pages<T>(source, options)) {
      if (list === undefined) list = page;
      else for (const item of page.items) list.items.push(item);
    }
  } catch (error) {
    const forgotten = error instanceof StatusError && error.code === 410 && list !== undefined;
    if (!forgotten) throw error;
    return readPage<T>(source, { ...options, pageSize: 0 }, undefined);
  }
  if (list === undefined) throw new ClientError("PROTOCOL", "a list without a page");
  const { continue: _read, remainingItemCount: _none, ...metadata } = list.metadata;
  return { ...list, metadata };
}

function readPage<T>(
  source: ListSource,
  options: ListOptions,
  token: string | undefined,
): Promise<KubeList<T>> {
  const pageSize = options.pageSize ?? defaultPageSize;
  const first = token === undefined || token === "";
  const path = withQuery(collectionPath(source.kind, options.namespace), {
    ...selectionQuery(options),
    limit: pageSize > 0 ? pageSize : undefined,
    continue: first ? undefined : token,
    // The token carries the version: a server refuses both.
    resourceVersion: first ? options.resourceVersion : undefined,
    resourceVersionMatch: first ? options.resourceVersionMatch : undefined,
  });
  const request = { method: "GET", path, accept: source.accept, defaultTimeout };
  return call(source.context, request, options, async (answer) => {
    const { dropManagedFields } = source.context;
    const reader = new ListReader({ dropManagedFields });
    const items: T[] = [];
    const take = itemTaker(source.kind, items);
    try {
      for await (const chunk of answer.body) reader.push(chunk, take);
      return toList<T>(reader.end(take), items);
    } catch (error) {
      if (error instanceof SyntaxError) {
        throw new ClientError("PROTOCOL", `the answer to GET ${path} is not JSON: ${error.message}`, {
          cause: error,
        });
      }
      throw error;
    }
  });
}

/** Servers leave out what all items of a list share; an object without its kind is a trap for whoever gets it. */
function itemTaker(kind: Kind<unknown>, items: unknown[]): (item: unknown) => void {
  const apiVersion = apiVersionOf(kind);
  return (item) => {
    const object = fromWire<{ apiVersion?: string; kind?: string }>(item);
    if (object.kind === undefined) {
      object.apiVersion = apiVersion;
      object.kind = kind.kind;
    }
    items.push(item);
  };
}

function toList<T>(frame: Record<string, unknown>, items: T[]): KubeList<T> {
  const { apiVersion, kind, metadata } = frame;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !kind.endsWith("List")) {
    throw new ClientError("PROTOCOL", `the answer is not a list: its kind is ${JSON.stringify(kind)}`);
  }
  return { apiVersion, kind, metadata: fromWire<ListMeta>(metadata ?? {}), items };
}
