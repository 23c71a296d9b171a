# SPDX-License-Identifier: Apache-2.0
# A jdb that is spoken to through a pipe and answered one command at a time; for the scripts that source it.
# shellcheck shell=bash

# What jdb asks for a command with: the thread that it looks at, or none. The latter is looked for where it can come: at the head of a
# line, which split_prompts makes of what follows the former, and behind what an event says before it tells where.
prompt='((main|clerk)\[[0-9]+\]|(^|: )>) '

split_prompts() {
    sed -E 's/(main|clerk)\[[0-9]+\] /&\n/g' output
}

# jdb_start argument...: jdb, its output in the file `output`.
jdb_start() {
    mkfifo commands
    jdb -J-Duser.home="$PWD" "$@" <commands >output 2>&1 &
    exec 3>commands
    await_prompts 1
}

# jdb_attach port: likewise, attached to a waiting program. There is one more prompt, after the news that the VM has started.
jdb_attach() {
    jdb_start -sourcepath . -attach "127.0.0.1:$1"
    await_prompts 1
}

# await_prompts n: until the output has n more; exit code 1 after half a minute.
prompts=0
await_prompts() {
    local tries=0
    prompts=$((prompts + $1))
    until [[ $(split_prompts | grep -oE -- "$prompt" | wc -l) -ge $prompts ]]; do
        sleep 0.1
        tries=$((tries + 1))
        if ((tries > 300)); then
            echo "jdb stands still:"
            cat output
            exit 1
        fi
    done
}

# say command: waits for the prompt after it, and where the program goes on, for that at its next stop. Of these two either can come
# first, as two threads of jdb write them, and the former falls anywhere into what is told of the stop.
say() {
    echo "$1" >&3
    case $1 in
    run | cont | step* | next | reenter) await_prompts 2 ;;
    *) await_prompts 1 ;;
    esac
}

# jdb_end: lets the program run to its end. What jdb said, without prompts and ids, is in the file `plain`.
jdb_end() {
    echo 'cont' >&3
    wait
    exec 3>&-
    sed -E -e 's/(^|: )(((main|clerk)\[[0-9]+\]|>) ?)+/\1/' -e 's/id=[0-9]+/id=#/' output >plain
}
