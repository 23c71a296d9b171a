// SPDX-License-Identifier: Apache-2.0
// Parses with what ANTLR made of Calc.g4; a wrong line too.
import org.antlr.v4.runtime.*;
import org.antlr.v4.runtime.tree.*;

public class CalcMain {
    public static void main(String[] args) throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            text.append("f(").append(i).append(", -(").append(i).append(" + 2) * g(3))/").append(i + 1).append("\n");
        }
        CalcParser parser = new CalcParser(new CommonTokenStream(new CalcLexer(CharStreams.fromString(text + "1 + * 2\n"))));
        parser.removeErrorListeners();
        parser.addErrorListener(new BaseErrorListener() {
            @Override
            public void syntaxError(Recognizer<?, ?> r, Object symbol, int line, int column, String message, RecognitionException e) {
                System.out.println(line + ":" + column + " " + message);
            }
        });
        ParseTree tree = parser.prog();
        System.out.println(tree.getChildCount() + " " + tree.getChild(8).toStringTree(parser) + " " + parser.getNumberOfSyntaxErrors());
    }
}
