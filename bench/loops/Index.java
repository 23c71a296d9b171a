// SPDX-License-Identifier: Apache-2.0
// Lucene in memory: each operation adds documents, deletes the oldest, and asks queries of several kinds of the index as it is then.
import java.io.IOException;
import java.util.Random;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.store.ByteBuffersDirectory;

public class Index {
    static final int BATCH = 40, KEPT = 10_000;
    static final String[] WORDS = "class method field frame heap monitor thread agent event probe stack trace loader module record shape".split(" ");
    static final Random random = new Random(3);
    static long sum;

    public static void main(String[] args) throws Exception {
        StandardAnalyzer analyzer = new StandardAnalyzer();
        try (IndexWriter writer = new IndexWriter(new ByteBuffersDirectory(), new IndexWriterConfig(analyzer))) {
            for (int i = 0; i < KEPT; i++)
                add(writer, i);
            writer.commit();
            Meter.measure(Integer.parseInt(args[0]), number -> operation(writer, analyzer, number));
            if (sum == 0)
                throw new AssertionError("nothing was found");
        }
    }
    static void add(IndexWriter writer, int id) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int n = 20 + random.nextInt(60); n > 0; n--)
            text.append(WORDS[random.nextInt(WORDS.length)]).append(random.nextInt(4) == 0 ? random.nextInt(200) : "").append(' ');
        Document d = new Document();
        d.add(new TextField("id", "d" + id, Field.Store.YES));
        d.add(new TextField("text", text.toString(), Field.Store.YES));
        d.add(new IntPoint("number", id));
        d.add(new NumericDocValuesField("size", text.length()));
        writer.addDocument(d);
    }
    static void operation(IndexWriter writer, StandardAnalyzer analyzer, int number) throws Exception {
        for (int i = 0; i < BATCH; i++) {
            writer.deleteDocuments(new Term("id", "d" + (number * BATCH + i)));
            add(writer, KEPT + number * BATCH + i);
        }
        try (DirectoryReader reader = DirectoryReader.open(writer)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            int n = number % 200;
            String[] queries = {"monitor" + n, "heap AND NOT stack" + n, "\"agent event\"~3", "fram* AND probe" + n, "trac~1", "+class" + n + " thread", "[monitor1 TO monitor3]"};
            for (String words : queries)
                sum += searcher.search(new QueryParser("text", analyzer).parse(words), 10).totalHits.value;
            Query range = IntPoint.newRangeQuery("number", number * BATCH, number * BATCH + 5000);
            sum += searcher.search(range, 10, new Sort(new SortField("size", SortField.Type.LONG, true))).scoreDocs.length;
        }
    }
}
