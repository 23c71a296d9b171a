# SPDX-License-Identifier: Apache-2.0
# bash completion for lens
_lens()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local views="top cpu alloc locks threads heap exceptions trace coverage metrics"
    local options="--duration --output --json --html --format --hz --include --method --limit --source --port --push --otlp --no-browser --help --version"
    case $before in
        -o|--output|--html|--source) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --format) COMPREPLY=($(compgen -W "collapsed pprof speedscope firefox chrome csv lcov jacoco" -- "$word")); return ;;
        -d|--duration|--hz|--include|--method|--limit|--port|--push|--otlp) return ;;
        open) COMPREPLY=($(compgen -f -X '!*.@(lens|hprof)' -- "$word") $(compgen -d -- "$word")); return ;;
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    elif [[ $COMP_CWORD -eq 1 || $before == record ]]; then
        local pids
        pids=$(lens 2>/dev/null | awk '$1 ~ /^[0-9]+$/ { print $1 }')
        [[ $COMP_CWORD -eq 1 ]] && pids="$pids open record"
        COMPREPLY=($(compgen -W "$pids" -- "$word"))
    else
        COMPREPLY=($(compgen -W "$views" -- "$word"))
    fi
}
complete -F _lens lens
