import { systemKeys } from "../credentials/content.ts";
import { markerPrefix } from "../credentials/users-text.ts";
import { paths } from "../names.ts";
import { startUser } from "../users.ts";

/**
 * Functions of the script that starts a server, about its users. Those that the Secret of the system has are taken, unless
 * the server's volume has newer ones of the same Secret: an operator has set them in the running server, and the file in
 * which the pod sees the Secret is behind. The marker among them says which is newer. What users of the operator say of
 * epochs and of the data is always kept, and so are users that somebody else has made.
 */
export const usersScript = `
# Sets group (of which Secret the users of a file are), number (how new) and names (theirs, and of those that are gone).
read_group() {
  group= number=0 names=' '
  while read -r word user rest || [ -n "$word" ]; do
    names="$names$user "
    case $user in ${markerPrefix}*) group=\${user%-*} number=\${user##*-} ;; esac
  done < $1
}

write_users() {
  held_group= held_number=0 is_newer=
  if [ -e ${paths.users} ]; then read_group ${paths.users}; held_group=$group held_number=$number; fi
  read_group ${paths.systemUsers}
  if [ -n "$group" ] && [ "$held_group" = "$group" ] && [ "$held_number" -ge "$number" ]; then is_newer=yes; fi
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      'gone '*|'') ;;
      'user ${startUser} '*) printf '%s\\n' "$line" ;;
      *) if [ -z "$is_newer" ]; then printf '%s\\n' "$line"; fi ;;
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
      case $names in
        *" $user "*) if [ -n "$is_newer" ]; then printf '%s\\n' "$line"; fi ;;
        *) printf '%s\\n' "$line" ;;
      esac
    done < ${paths.users} >> ${paths.users}.new
  fi
  if [ -n "$1" ]; then printf 'user %s off\\n' "$1" >> ${paths.users}.new; fi
  mv ${paths.users}.new ${paths.users}
}

# What a replica follows its primary with.
write_replication() {
  IFS= read -r secret < ${paths.system}/${systemKeys.replication} || [ -n "$secret" ]
  printf 'masterauth "%s"\\n' "$secret" > ${paths.replication}
  secret=
}
`;
