import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import type { FuzzKind } from "../fuzz-kind.ts";

/** A request about one object. The same for both servers but for what each of them has made up itself. */
export interface Write {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** After the path of the object, or of the collection when it creates. */
  readonly subresource?: "status";
  readonly query?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly accept?: string;
  /** The body, of what the server that gets it has answered. Undefined: none. */
  readonly body?: (known: Known) => unknown;
  /** What of it is our own: never masked. */
  readonly said?: unknown;
}

/** What a server has answered about the object. */
export interface Known {
  readonly latest: JsonObject;
  /** As it was when it was created. */
  readonly first: JsonObject;
}

/** What writes are made up of. */
export interface WriteMaterial {
  readonly choose: Chooser;
  readonly kind: FuzzKind;
  readonly name: string;
  /** The object as the real server has it. */
  readonly latest: JsonObject;
}
