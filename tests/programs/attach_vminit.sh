#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Other processes reach the VM while a VMInit handler runs: a debugger back end that waits for its debugger.
set -eu
java -agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0 NoSuchClass >out.txt 2>err.txt &
pid=$!
until grep -q '^Listening for transport dt_socket' out.txt; do
    sleep 0.05
done
timeout 30 jcmd $pid VM.command_line | sed -e 1d -e 's,^jvm_args:.* -agentlib,jvm_args: -agentlib,'
timeout 30 jcmd $pid Thread.print | grep -cE '^"(main|Attach Listener)"'
timeout 30 jcmd $pid JVMTI.agent_load /nowhere.so | sed 1d
kill -KILL $pid
wait $pid || echo "exit code $?"
