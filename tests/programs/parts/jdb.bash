# SPDX-License-Identifier: Apache-2.0
# A jdb that is spoken to through a pipe and answered one command at a time; for the scripts that source it.
# shellcheck shell=bash

# The threads that the scripts look at.
prompt='(main|clerk)\[[0-9]+\] '

# jdb_start argument...: jdb, its output in the file `output`.
jdb_start() {
    mkfifo commands
    jdb -J-Duser.home="$PWD" "$@" <commands >output 2>&1 &
    exec 3>commands
    prompts=0
    await 'Initializing jdb' 1
}

# jdb_attach port: likewise, attached to a waiting program.
jdb_attach() {
    jdb_start -sourcepath . -attach "127.0.0.1:$1"
    prompts=1
    await "$prompt" 1
}

# await regex n: until the output has it n times; exit code 1 after half a minute.
await() {
    local tries=0
    until [[ $(grep -oE -- "$1" output | wc -l) -ge $2 ]]; do
        sleep 0.1
        tries=$((tries + 1))
        if ((tries > 300)); then
            echo "jdb stands still:"
            cat output
            exit 1
        fi
    done
}

# tell command: a command that no prompt answers (before the program runs, or the last one).
tell() {
    echo "$1" >&3
}

# say command: a command to the stopped program. It ends in one more prompt, such as "main[1] ", at once or at the next stop; waits for that.
say() {
    tell "$1"
    prompts=$((prompts + 1))
    await "$prompt" "$prompts"
}

# jdb_end: lets the program run to its end. What jdb said, without prompts and ids, is in the file `plain`. (The prompt of a
# jdb that attaches comes before or after the news that the VM has started.)
jdb_end() {
    tell 'cont'
    wait
    exec 3>&-
    sed -E -e 's/^(((main|clerk)\[[0-9]+\]|>) ?)+//' -e 's/^VM Started: > /VM Started: /' -e 's/id=[0-9]+/id=#/' output >plain
}
