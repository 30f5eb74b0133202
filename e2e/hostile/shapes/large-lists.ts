import { macrotask } from "@kedge/machinery";
import { measured, startTarget } from "../target.ts";

/** How lists are asked for. */
export interface LargeLists {
  /** Config maps of a megabyte each, or of so many bytes. */
  readonly objects: number;
  readonly size?: number;
  /** How many ask for all of them at the same time. */
  readonly askers: number;
  /** In which form. Default: JSON. */
  readonly accept?: string;
}

/** What lists at the same time came to. */
export interface ListsCost {
  /** The status of each list, and how many bytes it had. */
  readonly answers: readonly { readonly status: number; readonly bytes: number }[];
  /** How often /livez was asked, and how often the answer was not 200. */
  readonly asked: number;
  readonly failed: number;
  /** Milliseconds of CPU without a turn of the event loop. */
  readonly longestBlock: number;
}

const maps = "/api/v1/namespaces/default/configmaps";

/** Lists large objects many times at once, and asks for the server's health meanwhile. */
export async function largeLists({
  objects,
  size = 1_000_000,
  askers,
  accept = "",
}: LargeLists): Promise<ListsCost> {
  await using target = await startTarget();
  const data = "x".repeat(size);
  const headers = { "content-type": "application/json" };
  for (let index = 0; index < objects; index++) {
    const body = `{"metadata":{"name":"m${index}"},"data":{"a":"${data}"}}`;
    const { status, text } = await target.send({ method: "POST", path: maps, headers, body });
    if (status !== 201) throw new Error(`${status}: ${text}`);
  }
  const done = new AbortController();
  let asked = 0;
  let failed = 0;
  const health = async (): Promise<void> => {
    while (!done.signal.aborted) {
      asked++;
      const { status } = await target.send({ method: "GET", path: "/livez", headers: {} });
      if (status !== 200) failed++;
      await macrotask();
    }
  };
  const list = async (): Promise<{ status: number; bytes: number }> => {
    const response = await target.handle({ method: "GET", path: maps, headers: { accept } });
    let bytes = 0;
    for await (const chunk of response.body) bytes += chunk.length;
    return { status: response.status, bytes };
  };
  const { value: answers, longestBlock } = await measured(async () => {
    const watching = health();
    const lists = await Promise.all(Array.from({ length: askers }, list)).finally(() => done.abort());
    await watching;
    return lists;
  });
  return { answers, asked, failed, longestBlock };
}
