export {
  createCustomResources,
  type CustomResources,
  type CustomResourcesOptions,
} from "./create-custom-resources.ts";
export { definitionResource } from "./definition/definition-resource.ts";
