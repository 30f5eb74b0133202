import type { TableColumn } from "../registry/table-definition.ts";

/** A column of text that is always shown. `wide` ones are only shown by `-o wide`. */
export function column(
  name: string,
  description: string,
  { type = "string", wide = false }: { readonly type?: TableColumn["type"]; readonly wide?: boolean } = {},
): TableColumn {
  return { name, type, format: "", description, priority: wide ? 1 : 0 };
}

/** The name of the object: what kubectl links to. */
export const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object, unique among those of its kind in its namespace.",
  priority: 0,
};

/** How old the object is. */
export const ageColumn: TableColumn = column("Age", "How long ago the object was created.");

/** Names and images of the containers of a pod template. */
export const containerColumns: readonly TableColumn[] = [
  column("Containers", "Names of the containers of the template.", { wide: true }),
  column("Images", "Images of the containers of the template.", { wide: true }),
];

/** Which pods belong to the object. */
export const selectorColumn: TableColumn = column("Selector", "Labels of the pods that belong to it.", {
  wide: true,
});
