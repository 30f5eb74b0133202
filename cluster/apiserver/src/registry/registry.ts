import type { Registry, Resource } from "./types.ts";

/** A registry that serves these resources to begin with. Of a kind in several versions the first is the preferred one. */
export function createRegistry(resources: readonly Resource[] = []): Registry {
  return new MapRegistry(resources);
}

class MapRegistry implements Registry {
  #generation = 0;
  readonly #resources = new Map<string, Resource>();
  readonly #listeners = new Set<() => void>();

  constructor(resources: readonly Resource[]) {
    this.replace([], resources);
  }

  get generation(): number {
    return this.#generation;
  }

  resource(group: string, version: string, plural: string): Resource | undefined {
    return this.#resources.get(idOf({ group, version, plural }));
  }

  byKind(group: string, kind: string, version?: string): Resource | undefined {
    for (const resource of this.#resources.values()) {
      if (resource.group !== group || resource.kind !== kind) continue;
      if (version === undefined || resource.version === version) return resource;
    }
    return undefined;
  }

  all(): readonly Resource[] {
    return [...this.#resources.values()];
  }

  replace(remove: readonly Resource[], add: readonly Resource[]): void {
    for (const resource of remove) {
      const id = idOf(resource);
      if (this.#resources.get(id) === resource) this.#resources.delete(id);
    }
    for (const resource of add) this.#resources.set(idOf(resource), resource);
    this.#generation++;
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function idOf({ group, version, plural }: Pick<Resource, "group" | "version" | "plural">): string {
  return `${group}/${version}/${plural}`;
}
