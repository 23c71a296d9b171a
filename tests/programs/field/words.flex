// SPDX-License-Identifier: Apache-2.0
%%
%public
%class Words
%standalone
%line
%unicode
%{
  int count;
%}
%eof{
  System.out.println(count + " words");
%eof}
Word = [:letter:] ([:letter:] | [:digit:])*
Number = [0-9]+ ("." [0-9]+)?
%%
{Word}    { count++; System.out.println(yyline + " word " + yytext()); }
{Number}  { System.out.println(yyline + " number " + yytext()); }
"/*" ~"*/" { }
[^]       { }
