/**
 * zsh's part: the .zshenv of a folder that stands in for the user's ZDOTDIR
 * until this file has put that back, so that the user's own files are read as ever.
 */
export const ZSH_ENV = String.raw`if (( \${+NEXUS_USER_ZDOTDIR} )); then
  export ZDOTDIR=$NEXUS_USER_ZDOTDIR
  unset NEXUS_USER_ZDOTDIR
else
  unset ZDOTDIR
fi
typeset -g __nexus_mark=$NEXUS_SHELL_MARK
unset NEXUS_SHELL_MARK
if [[ -r \${ZDOTDIR:-$HOME}/.zshenv ]]; then
  source "\${ZDOTDIR:-$HOME}/.zshenv"
fi
if [[ -o interactive && -n $__nexus_mark ]]; then
  __nexus_precmd() {
    local code=$?
    builtin printf '\e]133;D;%s;nexus=%s;pid=%s\a\e]133;A;nexus=%s;pid=%s\a' \
      $code "$__nexus_mark" $$ "$__nexus_mark" $$
    if [[ -o promptpercent && $PS1 != *"nexus=$__nexus_mark"* ]]; then
      PS1="$PS1%{"$'\e'"]133;B;nexus=$__nexus_mark;pid=$$"$'\a'"%}"
    fi
    if [[ $precmd_functions[-1] != __nexus_precmd ]]; then
      precmd_functions=(\${precmd_functions:#__nexus_precmd} __nexus_precmd)
    fi
  }
  __nexus_preexec() {
    builtin printf '\e]133;C;nexus=%s;pid=%s\a' "$__nexus_mark" $$
  }
  typeset -ga precmd_functions preexec_functions
  precmd_functions+=(__nexus_precmd)
  preexec_functions+=(__nexus_preexec)
fi
`.replaceAll("\\${", "${");
