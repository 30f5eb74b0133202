export { newContent, nextContent } from "./content.ts";
export { usersText } from "./users-text.ts";
