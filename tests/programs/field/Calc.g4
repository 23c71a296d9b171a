// SPDX-License-Identifier: Apache-2.0
grammar Calc;
prog : (expr NEWLINE)* EOF ;
expr : '-' expr | expr op=('*'|'/') expr | expr op=('+'|'-') expr | INT | ID '(' expr (',' expr)* ')' | '(' expr ')' ;
ID : [a-z]+ ;
INT : [0-9]+ ;
NEWLINE : '\r'? '\n' ;
WS : [ \t]+ -> skip ;
