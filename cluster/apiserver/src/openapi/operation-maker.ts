import type { SchemaTable } from "@kedge/machinery/schema-table";
import type { Resource } from "../registry/types.ts";
import { schemaName } from "./components.ts";
import type { JsonSchema } from "./json-schema.ts";
import { operation, type OperationFacts } from "./operations.ts";
import { deleteParameters, listParameters, patchParameters, writeParameters } from "./parameters.ts";

/** What operations are about: the resource itself, or a part of it. */
export interface Subject {
  readonly kind: OperationFacts["kind"];
  /** The name of the schema of what is sent and answered. */
  readonly schema: string;
  /** What a part adds to the names of operations: `Status`. */
  readonly suffix: string;
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** Makes the operations of a resource, with the names that Kubernetes gives them. */
export class OperationMaker {
  readonly own: Subject;
  readonly #resource: Resource;
  readonly #listSchema: string;
  readonly #tag: string;
  readonly #place: string;
  readonly #scope: string;

  constructor(table: SchemaTable, resource: Resource) {
    const { group, version, kind, listKind } = resource;
    const plain = group === "" ? "core" : group.replace(/\.k8s\.io$/u, "");
    this.own = { kind: { group, version, kind }, schema: schemaName(table, resource), suffix: "" };
    this.#resource = resource;
    this.#listSchema = schemaName(table, { ...resource, kind: listKind });
    this.#tag = `${plain.replaceAll(".", "_")}_${version}`;
    this.#place = `${title(plain)}${title(version)}`;
    this.#scope = resource.scope === "Namespaced" ? "Namespaced" : "";
  }

  list(everywhere = false): JsonSchema {
    const { kind } = this.#resource;
    const id = everywhere ? `${kind}ForAllNamespaces` : `${this.#scope}${kind}`;
    return operation({
      ...this.#factsOf(this.own),
      id: `list${this.#place}${id}`,
      action: "list",
      parameters: listParameters,
      answer: this.#listSchema,
    });
  }

  read(subject: Subject): JsonSchema {
    return operation({ ...this.#factsOf(subject), id: this.#idOf("read", subject), action: "get" });
  }

  create(subject: Subject): JsonSchema {
    return this.#write("create", "post", subject);
  }

  replace(subject: Subject): JsonSchema {
    return this.#write("replace", "put", subject);
  }

  patch(subject: Subject): JsonSchema {
    const types = this.#resource.custom === undefined ? [...patchTypes, strategicPatch] : patchTypes;
    return operation({
      ...this.#factsOf(subject),
      id: this.#idOf("patch", subject),
      action: "patch",
      parameters: patchParameters,
      created: true,
      body: { schema: `${meta}.Patch`, types },
    });
  }

  delete(): JsonSchema {
    return operation({
      ...this.#factsOf(this.own),
      ...deletion,
      id: this.#idOf("delete", this.own),
      action: "delete",
      parameters: deleteParameters,
    });
  }

  deleteCollection(): JsonSchema {
    return operation({
      ...this.#factsOf(this.own),
      ...deletion,
      id: `delete${this.#place}Collection${this.#scope}${this.#resource.kind}`,
      action: "deletecollection",
      parameters: [...deleteParameters, "fieldSelector", "labelSelector"],
    });
  }

  connect(method: "Get" | "Post", subject: Subject): JsonSchema {
    const { kind } = this.#resource;
    return operation({
      ...this.#factsOf(subject),
      id: `connect${this.#place}${method}${this.#scope}${kind}${subject.suffix}`,
      action: "connect",
    });
  }

  #write(verb: string, action: string, subject: Subject): JsonSchema {
    return operation({
      ...this.#factsOf(subject),
      id: this.#idOf(verb, subject),
      action,
      parameters: writeParameters,
      created: true,
      body: { schema: subject.schema },
    });
  }

  #factsOf({ kind, schema }: Subject): Omit<OperationFacts, "id" | "action"> {
    return { tag: this.#tag, kind, parameters: [], answer: schema };
  }

  #idOf(verb: string, { suffix }: Subject): string {
    return `${verb}${this.#place}${this.#scope}${this.#resource.kind}${suffix}`;
  }
}

const deletion = { answer: `${meta}.Status`, body: { schema: `${meta}.DeleteOptions` } };

const patchTypes = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
];
const strategicPatch = "application/strategic-merge-patch+json";

/** `rbac.authorization` → `RbacAuthorization`. */
export function title(text: string): string {
  return text
    .split(/[.-]/u)
    .map((part) => `${part.slice(0, 1).toUpperCase()}${part.slice(1)}`)
    .join("");
}
