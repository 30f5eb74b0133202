import type { Registry, Resource } from "../registry/types.ts";
import { holds, type Definition } from "./definition/definition.ts";
import { customResources, storedResource, type CustomResourceOptions } from "./serving/custom-resource.ts";

/** Which resources of which definition are served now. */
export class ServedDefinitions {
  readonly #registry: Registry;
  readonly #options: CustomResourceOptions;
  readonly #served = new Map<string, { readonly made: string; readonly resources: readonly Resource[] }>();

  constructor(registry: Registry, options: CustomResourceOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  /** Serves what a definition defines now, if its names are accepted. Says whether it is served. */
  update(definition: Definition): boolean {
    const name = definition.metadata?.name ?? "";
    const accepted = holds(definition, "NamesAccepted") || holds(definition, "Established");
    if (!accepted || (definition.status?.acceptedNames?.kind ?? "") === "") {
      this.remove(name);
      return false;
    }
    const made = madeOf(definition);
    const before = this.#served.get(name);
    if (before?.made === made) return true;
    const resources = customResources(definition, this.#options);
    this.#served.set(name, { made, resources });
    this.#registry.replace(before?.resources ?? [], resources);
    return true;
  }

  /** What reaches all objects of a definition, served or not. */
  storedResource(definition: Definition): Resource | undefined {
    return storedResource(definition, this.#options);
  }

  remove(name: string): void {
    const before = this.#served.get(name);
    if (before === undefined) return;
    this.#served.delete(name);
    this.#registry.replace(before.resources, []);
  }
}

/** Changes when the resources must be made anew. */
function madeOf(definition: Definition): string {
  const { metadata, status } = definition;
  return JSON.stringify([
    metadata?.uid,
    metadata?.generation,
    status?.acceptedNames,
    holds(definition, "Terminating"),
  ]);
}
