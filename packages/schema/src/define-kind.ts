import { checkPaths } from "./check-paths.ts";
import type { DefinedKind, KindDefinition, SubresourcesIn } from "./kind-definition.ts";
import { kindSchema } from "./kind-schema.ts";

/**
 * Makes a kind of its one definition: a descriptor that clients and controllers take, from which `crdOf` makes the
 * CustomResourceDefinition and `parseObject` checks objects. Throws a `SchemaError` that names the field when the
 * definition says what a CustomResourceDefinition cannot.
 */
export function defineKind<const D extends KindDefinition>(definition: D): DefinedKind<D> {
  const { group, version, kind, plural, singular, shortNames, categories, scope } = definition;
  checkPaths(definition, kindSchema(definition));
  return {
    group,
    version,
    kind,
    plural,
    singular: singular ?? kind.toLowerCase(),
    ...(shortNames !== undefined && { shortNames }),
    ...(categories !== undefined && { categories }),
    scope,
    subresources: subresourcesOf(definition),
    definition,
  };
}

function subresourcesOf<D extends KindDefinition>(definition: D): readonly SubresourcesIn<D>[];
function subresourcesOf(definition: KindDefinition): readonly string[] {
  return definition.scale === undefined ? ["status"] : ["scale", "status"];
}
