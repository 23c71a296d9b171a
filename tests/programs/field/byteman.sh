#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Byteman's rules change a program, and a class of the boot loader that is loaded already.
set -eu
javac -g -d . "$IN/Bank.java"
jar=/usr/share/java/byteman.jar
java -javaagent:"$jar=boot:$jar,script:$IN/bank.btm" \
    -Dorg.jboss.byteman.transform.all=true -cp . Bank 2>&1 | grep -v -e "warning: Sharing is only" -e "^NOTE: Picked up"
