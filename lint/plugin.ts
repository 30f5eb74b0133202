import { ambientObject } from "./ambient-object.ts";
import { importDirection } from "./import-direction.ts";

/** Our own lint rules: `kedge/ambient-object` and `kedge/import-direction`. */
export default {
  meta: { name: "kedge" },
  rules: { "ambient-object": ambientObject, "import-direction": importDirection },
};
