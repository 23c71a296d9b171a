#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# JaCoCo counts what a program covers; its report, line by line.
set -eu
lib=/usr/share/java
core=$lib/org.jacoco.core.jar:$lib/asm.jar:$lib/asm-commons.jar:$lib/asm-tree.jar:$lib/asm-analysis.jar
javac -g -d classes "$IN/Shapes.java"
javac -cp "$core" -d report "$IN/Report.java"
# Debian's jar of the agent does not say that it is one.
cat >manifest <<TEXT
Premain-Class: org.jacoco.agent.rt.internal.PreMain
Class-Path: file:$lib/org.jacoco.agent.rt.jar file:$lib/org.jacoco.core.jar
  file:$lib/asm.jar file:$lib/asm-commons.jar file:$lib/asm-tree.jar
  file:$lib/asm-analysis.jar
TEXT
jar --create --file agent.jar --manifest manifest
java -javaagent:"agent.jar=destfile=jacoco.exec,includes=Shapes*:Box:Shape:Color" -cp classes Shapes
java -cp "$core:report" Report
