// SPDX-License-Identifier: Apache-2.0
// Regular expressions, charsets, scanners, properties, message formats, URLs, Base64, UUIDs, tokenizers.
import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.charset.*;
import java.text.*;
import java.util.*;
import java.util.regex.*;

public class TextMisc {
    public static void main(String[] args) throws Exception {
        Matcher m = Pattern.compile("(?<k>\\w+)=(?<v>[^;]*);?").matcher("a=1;bb=22;c=");
        while (m.find()) {
            System.out.print(m.group("k") + "->" + m.group("v") + "@" + m.start() + " ");
        }
        System.out.println("x1y22z".replaceAll("(\\d+)", "<$1>") + Pattern.compile("\\d+").matcher("a1b22").replaceAll(r -> "" + r.group().length()) + "a1b2".split("(?<=\\d)").length
            + Pattern.matches("(a*)*b?", "aaaaaaaaaaaa") + Pattern.compile("\u00e9", Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE).matcher("\u00c9").matches() + "foobar".matches("foo(?=bar).*") + "abab".matches("(ab)\\1"));
        try {
            Pattern.compile("(a");
        } catch (PatternSyntaxException e) {
            System.out.println(e.getDescription() + e.getIndex());
        }
        String s = "h\u00e9\u4e2d\ud83d\ude00";
        for (String cs : new String[] {"UTF-8", "UTF-16", "UTF-16LE", "UTF-32", "ISO-8859-1", "US-ASCII", "windows-1252", "Shift_JIS", "EUC-JP", "GB18030"}) {
            byte[] b = s.getBytes(cs);
            System.out.print(cs + b.length + ":" + Arrays.hashCode(b) + (new String(b, cs).equals(s) ? "=" : "!") + " ");
        }
        System.out.println();
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(new byte[] {(byte) 0xc3, 0x28}));
        } catch (CharacterCodingException e) {
            System.out.println(e);
        }
        System.out.println(new String(new byte[] {(byte) 0xff, 'a', (byte) 0xed, (byte) 0xa0, (byte) 0x80}, "UTF-8").length() + " " + Charset.defaultCharset().canEncode());
        try {
            "x".getBytes("nope");
        } catch (UnsupportedEncodingException e) {
            System.out.println(e);
        }
        Scanner sc = new Scanner("12 3.5 word\nline two\n0x1F true").useLocale(Locale.US);
        System.out.println(sc.nextInt() + " " + sc.nextDouble() + " " + sc.next() + sc.nextLine() + "|" + sc.nextLine() + "|" + sc.hasNextInt() + sc.next() + sc.nextBoolean() + sc.hasNext());
        Properties p = new Properties();
        p.load(new StringReader("# c\na = 1\nb:two\\\n   more\nu=\\u00e9\nempty\n"));
        System.out.println(new TreeMap<>(p) + p.getProperty("zz", "d"));
        System.out.println(new MessageFormat("{0,number,#.##} {1} {2,choice,0#none|1#one|1<many {2}}", Locale.US).format(new Object[] {3.14159, "x", 5}));
        URI u = new URI("http://user@host:80/a/b/../c?q=1&r=%20#frag");
        System.out.println(u.getHost() + u.getPort() + u.normalize().getPath() + u.getQuery() + u.getFragment() + u.resolve("../z") + " " + URLEncoder.encode("a b&c\u00e9", "UTF-8") + URLDecoder.decode("a+b%26", "UTF-8"));
        URL url = new URL("https://example.org:444/p?x#y");
        System.out.println(url.getProtocol() + url.getPort() + url.getFile() + url.getRef() + url.getDefaultPort());
        try {
            new URL("nope://x");
        } catch (MalformedURLException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(Base64.getEncoder().encodeToString("hello?>".getBytes()) + Base64.getUrlEncoder().withoutPadding().encodeToString(new byte[] {-1, -2}) + new String(Base64.getMimeDecoder().decode("aGk=\r\n"))
            + HexFormat.of().formatHex(new byte[] {1, -1}) + UUID.nameUUIDFromBytes("x".getBytes()) + new StringTokenizer("a b,c", " ,").countTokens());
        BreakIterator bi = BreakIterator.getWordInstance(Locale.US);
        bi.setText("Hello big world.");
        int n = 0;
        while (bi.next() != BreakIterator.DONE) {
            n++;
        }
        System.out.println(n + " " + Normalizer.normalize("\u00e9", Normalizer.Form.NFD).length() + " " + Collator.getInstance(Locale.FRANCE).compare("cot\u00e9", "c\u00f4te"));
        StreamTokenizer st = new StreamTokenizer(new StringReader("x = 3.5 + 'q'"));
        StringBuilder sb = new StringBuilder();
        while (st.nextToken() != StreamTokenizer.TT_EOF) {
            sb.append(st.ttype).append(',');
        }
        System.out.println(sb);
        PrintStream ps = new PrintStream(new ByteArrayOutputStream(), true, "UTF-16");
        ps.printf("%s", s);
        System.out.println(ps.checkError() + " " + new StringReader("abc").skip(1) + " " + "a\r\nb\rc".lines().toList());
        CharBuffer3.go();
        ResourceBundle rb = new ListResourceBundle() {
            protected Object[][] getContents() {
                return new Object[][] {{"k", "v"}};
            }
        };
        System.out.println(rb.getString("k"));
        try {
            rb.getString("zz");
        } catch (MissingResourceException e) {
            System.out.println(e.getKey());
        }
        try {
            ResourceBundle.getBundle("no.such.Bundle", Locale.US);
        } catch (MissingResourceException e) {
            System.out.println(e.getMessage());
        }
    }

    static class CharBuffer3 {
        static void go() throws IOException {
            PipedInputStream in = new PipedInputStream();
            PipedOutputStream out = new PipedOutputStream(in);
            new Thread(() -> {
                try (out) {
                    out.write("piped".getBytes());
                } catch (IOException e) {
                    e.printStackTrace();
                }
            }).start();
            System.out.println(new String(in.readAllBytes()));
        }
    }
}
