/** fish's part: read after the user's configuration. */
export const FISH_INIT = String.raw`set -g __nexus_mark $NEXUS_SHELL_MARK
set -e NEXUS_SHELL_MARK
function __nexus_prompt --on-event fish_prompt --on-event fish_cancel
    printf '\e]133;A;nexus=%s;pid=%s\a' $__nexus_mark $fish_pid
end
function __nexus_preexec --on-event fish_preexec
    printf '\e]133;C;nexus=%s;pid=%s\a' $__nexus_mark $fish_pid
end
function __nexus_postexec --on-event fish_postexec
    printf '\e]133;D;%s;nexus=%s;pid=%s\a' $status $__nexus_mark $fish_pid
end
`;
