#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Byte Buddy puts advice into a loaded class and takes it out again.
set -eu
javac -g -nowarn -cp /usr/share/java/byte-buddy.jar -d . "$IN/Advised.java"
printf 'Premain-Class: Advised\nCan-Retransform-Classes: true\nCan-Redefine-Classes: true\n' >manifest
jar --create --file agent.jar --manifest manifest
java -javaagent:agent.jar -cp .:/usr/share/java/byte-buddy.jar Advised
