import type { GroupVersionKind, Kind } from "@kedge/machinery";
import type { Computed, Resource, Review, Strategy, Subresource, Verb } from "../registry/types.ts";
import type { Printer } from "../tables/printer.ts";

/** What is particular about a built-in kind; the rest follows from its descriptor and the schema table. */
export interface KindDefinition {
  readonly kind: Kind;
  /** The columns of its tables. Default: name and creation. */
  readonly printer?: Printer;
  /** Without `default`: that comes from the types' defaults. */
  readonly strategy: Omit<Strategy, "default">;
  /** Beside `status`, which every kind with a descriptor that says so gets. */
  readonly subresources?: Readonly<Record<string, Subresource>>;
  /** Answers objects of the kind, which are created for that alone and never stored. */
  readonly review?: Review;
  /** Finds objects of the kind out when somebody asks: they are not stored. */
  readonly computed?: Computed;
  /** The text of a `Warning` header on every answer. */
  readonly deprecationWarning?: string;
  /** Default: all; of a review: create. */
  readonly verbs?: readonly Verb[];
  /** Default: the group and the plural. Kinds with the same one are the same objects. */
  readonly storage?: string;
  /** What its objects are stored as, when that is not this version. */
  readonly storedAs?: GroupVersionKind;
  /** For a version that looks otherwise than what is stored. */
  readonly conversion?: Resource["conversion"];
}
