import { realClock } from "@kedge/machinery";
import { applies } from "./applies.ts";
import { Connection } from "./connections.ts";
import { customObjects } from "./custom-objects.ts";
import { fanOut, storm } from "./fan-out.ts";
import { lists } from "./lists.ts";
import { loadOf } from "./load.ts";
import { draft, fill, maps } from "./objects.ts";
import type { Figures, Part } from "./part.ts";
import type { ServerProcess } from "../server-process.ts";

/** Everything that is measured. A part that was not asked for is left out, except for the start. */
export const parts: readonly Part[] = [
  { name: "start", run: start },
  ...[1, 32, 128].map((clients) => ({ name: `create ${clients}`, run: creates(clients) })),
  ...[1, 32, 128].map((clients) => ({ name: `get ${clients}`, run: gets(clients) })),
  ...[1, 32].map((clients) => ({ name: `apply ${clients}`, run: applies(clients) })),
  ...[1, 32].map((clients) => ({ name: `custom ${clients}`, run: customObjects(clients) })),
  { name: "fan-out", run: fanOut },
  { name: "list", run: lists },
  { name: "storm", run: storm },
];

/** How many ConfigMaps there are to read. */
const readable = 500;

/** From starting the first program to having the event of a first create. */
async function start(server: ServerProcess): Promise<Figures> {
  const connection = await Connection.open(server.access);
  const seen = Promise.withResolvers<void>();
  await connection.watch(`${maps}?watch=true&fieldSelector=metadata.name%3Dfirst`, () => seen.resolve());
  await connection.send("POST", maps, draft("first"));
  await seen.promise;
  const ms = realClock.now() - server.began;
  connection.close();
  // The garbage of the start is no memory that an idle server needs.
  await realClock.sleep(2000);
  return new Map([
    ["first create and event, ms", ms],
    ["idle, MiB", server.memory()],
  ]);
}

function creates(clients: number): Part["run"] {
  const count = clients === 1 ? 300 : 3000;
  return async (server) => {
    await fill(server.access, `warm-${clients}`, clients * 5);
    return await loadOf(server, {
      title: `create, ${clients} ${clients === 1 ? "client" : "clients"}`,
      clients,
      count,
      send: (connection, index) => connection.send("POST", maps, draft(`c${clients}-${index}`)),
    });
  };
}

function gets(clients: number): Part["run"] {
  const count = clients === 1 ? 500 : 4000;
  return async (server) => {
    await fill(server.access, "read", readable);
    return await loadOf(server, {
      title: `get, ${clients} ${clients === 1 ? "client" : "clients"}`,
      clients,
      count,
      send: (connection, index) => connection.send("GET", `${maps}/read-${index % readable}`),
    });
  };
}
