/**
 * bash's part: read in place of ~/.bashrc, which it reads itself first. The
 * marks ride in PS1 and PS0, so they outlive a prompt framework that replaces
 * PROMPT_COMMAND; a framework that sets PS1 anew gets them put back each time.
 */
export const BASH_RC = String.raw`__nexus_mark=$NEXUS_SHELL_MARK
unset NEXUS_SHELL_MARK
if [ -n "$NEXUS_SHELL_LOGIN" ]; then
  unset NEXUS_SHELL_LOGIN
  [ -r /etc/profile ] && . /etc/profile
  for __nexus_file in ~/.bash_profile ~/.bash_login ~/.profile; do
    [ -r "$__nexus_file" ] && . "$__nexus_file" && break
  done
  unset __nexus_file
elif [ -r ~/.bashrc ]; then
  . ~/.bashrc
fi

__nexus_before() {
  __nexus_code=$?
  builtin printf '\e]133;D;%s;nexus=%s;pid=%s\a' "$__nexus_code" "$__nexus_mark" "$$"
  return "$__nexus_code"
}
__nexus_after() {
  if [[ "$PS1" != *"nexus=$__nexus_mark"* ]]; then
    PS1="\[\e]133;A;nexus=$__nexus_mark;pid=\$$\a\]$PS1\[\e]133;B;nexus=$__nexus_mark;pid=\$$\a\]"
  fi
  if [[ "\${PS0-}" != *"nexus=$__nexus_mark"* ]]; then
    PS0="\e]133;C;nexus=$__nexus_mark;pid=\$$\a\${PS0-}"
  fi
  return "\${__nexus_code:-0}"
}
if [[ "$(builtin declare -p PROMPT_COMMAND 2>/dev/null)" == "declare -a"* ]]; then
  PROMPT_COMMAND=(__nexus_before "\${PROMPT_COMMAND[@]}" __nexus_after)
else
  PROMPT_COMMAND="__nexus_before
\${PROMPT_COMMAND-}
__nexus_after"
fi
__nexus_after
`.replaceAll("\\${", "${");
