// SPDX-License-Identifier: Apache-2.0
// The JDK's own XSLT: the style sheet is compiled to a class at run time.
import java.io.File;
import javax.xml.transform.*;
import javax.xml.transform.stream.*;

public class Transform {
    public static void main(String[] args) throws Exception {
        Templates compiled = TransformerFactory.newInstance().newTemplates(new StreamSource(new File(args[1])));
        System.out.println(compiled.getClass().getSimpleName());
        for (int i = 0; i < 3; i++) {
            compiled.newTransformer().transform(new StreamSource(new File(args[0])), new StreamResult(System.out));
        }
    }
}
