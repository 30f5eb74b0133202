import { systemKeys } from "../credentials/content.ts";
import { markerPrefix } from "../credentials/users-text.ts";
import { paths } from "../names.ts";
import { startUser } from "../users.ts";

/**
 * Functions of the script that starts a server, about its users. Those that the Secret of the system has are taken, unless
 * the server's volume has newer ones of the same Secret: an operator has set them in the running server, and the file in
 * which the pod sees the Secret is behind. The marker among them says which is newer, and who of them was of the spec: of
 * these, no volume brings back whom the Secret does not have any more. What users of the operator say of epochs and of the
 * data is always kept, and so are users that somebody else has made.
 *
 * The user by which a server is first commanded is always that of the Secret as this pod sees it, because the script itself
 * uses it, too. Of an operator's newer key it may know nothing: operators try their old ones.
 */
export const usersScript = `
# Sets group (of which Secret the users of a file are), number (how new), names (theirs) and marked (who is of the spec).
read_group() {
  group= number=0 names=' ' marked=' '
  while read -r word user rest || [ -n "$word" ]; do
    names="$names$user "
    case $user in ${markerPrefix}*) group=\${user%-*} number=\${user##*-} marked=" $rest " ;; esac
  done < $1
}

write_users() {
  held_group= held_number=0 held_marked= is_newer=
  if [ -e ${paths.users} ]; then
    read_group ${paths.users}
    held_group=$group held_number=$number held_marked=$marked
  fi
  IFS= read -r secret < ${paths.system}/${systemKeys.start} || [ -n "$secret" ]
  printf '%s\\n' "$secret" > ${paths.start}
  read_group ${paths.systemUsers}
  if [ -n "$group" ] && [ "$held_group" = "$group" ] && [ "$held_number" -ge "$number" ]; then is_newer=yes; fi
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      'user ${startUser} '*) printf '%s\\n' "$line" ;;
      'user '*) if [ -z "$is_newer" ]; then printf '%s\\n' "$line"; fi ;;
    esac
  done < ${paths.systemUsers} > ${paths.users}.new
  if [ -e ${paths.users} ]; then
    while IFS= read -r line || [ -n "$line" ]; do
      user=\${line#user } user=\${user%% *}
      case $user in
        kedge-primary-*|kedge-replica-*)
          # What they say of the data is true no more when that was taken away.
          if [ -z "$is_aside" ]; then printf '%s\\n' "$line"; fi
          continue
          ;;
        ${startUser}|'') continue ;;
        ${markerPrefix}*) if [ -z "$is_newer" ]; then continue; fi ;;
      esac
      if [ -z "$is_newer" ]; then
        case $names in *" $user "*) continue ;; esac
        case $held_marked in *" ~$user "*) continue ;; esac
      fi
      printf '%s\\n' "$line"
    done < ${paths.users} >> ${paths.users}.new
  fi
  if [ -n "$1" ]; then printf 'user %s off\\n' "$1" >> ${paths.users}.new; fi
  mv ${paths.users}.new ${paths.users}
  # The Secret has changed in between: all of it again.
  IFS= read -r line < ${paths.system}/${systemKeys.start} || [ -n "$line" ]
  if [ "$line" != "$secret" ]; then write_users "$1"; fi
  line= secret=
}

# What a replica follows its primary with.
write_replication() {
  IFS= read -r secret < ${paths.system}/${systemKeys.replication} || [ -n "$secret" ]
  printf 'masterauth "%s"\\n' "$secret" > ${paths.replication}
  secret=
}
`;
