import { valueAt } from "../../differential/script/json-pointer.ts";
import { pointersIn } from "../../comparison/generate/json.ts";
import { without, type JsonObject } from "../../comparison/json.ts";
import { partOfObject } from "./part-of.ts";
import type { Write, WriteMaterial } from "./write.ts";

/** A JSON patch of one to three operations. */
export function jsonPatch(material: WriteMaterial): Write {
  const { choose, latest } = material;
  const pointers = pointersIn(without(latest, ["status"])).filter(
    (pointer) => !isMadeUp(pointer) && !pointer.endsWith("/-1"),
  );
  const operations = choose.list(3, () => operation(material, pointers), 1);
  return { method: "PATCH", type: "application/json-patch+json", body: () => operations, said: operations };
}

/** Places that are not the same on both servers, and the whole object. */
function isMadeUp(pointer: string): boolean {
  return (
    pointer === "" ||
    /^\/(?:kind|apiVersion|metadata)$|^\/metadata\/(?:uid|resourceVersion|creationTimestamp|managedFields|generation|name$|namespace)/u.test(
      pointer,
    ) ||
    /clusterIPs?(?:\/|$)|nodePort/iu.test(pointer)
  );
}

/** Whether there is something in it that this server alone has made up. */
function isOwn(value: unknown): boolean {
  return /clusterIP|nodePort|kube-api-access/iu.test(JSON.stringify(value) ?? "");
}

function operation({ choose, latest, ...material }: WriteMaterial, pointers: readonly string[]): JsonObject {
  const path = choose.one(pointers);
  const before = isOwn(valueAt(latest, path)) ? undefined : valueAt(latest, path);
  const from = choose.one(pointers);
  const other = partOfObject({ choose, latest, ...material });
  const places = pointersIn(other).filter(
    (pointer) => valueAt(other, pointer) !== undefined && pointer !== "",
  );
  const place = places.length === 0 ? "/metadata/labels" : choose.one(places);
  const value = valueAt(other, place) ?? {};
  return choose.one<JsonObject>(
    [
      { op: "replace", path, value: choose.maybe(60) ? (before ?? value) : value },
      { op: "remove", path },
      { op: "add", path: place, value },
      { op: "add", path: place, value },
      { op: "test", path, value: before ?? value },
      { op: "copy", from, path },
    ],
    [
      { op: "test", path, value: "other" },
      { op: "move", from, path: place },
      { op: "bogus", path },
      { op: "add", path: "/no/such/place", value },
    ],
  );
}
