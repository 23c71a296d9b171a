// SPDX-License-Identifier: Apache-2.0
// Lucene: an index on disk of generated texts, then queries of several kinds.
import java.nio.file.*;
import java.util.*;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.*;
import org.apache.lucene.store.*;

public class Search {
    public static void main(String[] args) throws Exception {
        String[] words = "class method field frame heap monitor thread agent event probe stack trace".split(" ");
        Random random = new Random(3);
        try (Directory folder = FSDirectory.open(Path.of("index")); StandardAnalyzer analyzer = new StandardAnalyzer()) {
            try (IndexWriter writer = new IndexWriter(folder, new IndexWriterConfig(analyzer))) {
                for (int i = 0; i < 3000; i++) {
                    StringBuilder text = new StringBuilder();
                    for (int n = 5 + random.nextInt(20); n > 0; n--) {
                        text.append(words[random.nextInt(words.length)]).append(random.nextInt(9) == 0 ? random.nextInt(50) : "").append(' ');
                    }
                    Document d = new Document();
                    d.add(new StringField("id", "d" + i, Field.Store.YES));
                    d.add(new TextField("text", text.toString(), Field.Store.YES));
                    d.add(new NumericDocValuesField("size", text.length()));
                    writer.addDocument(d);
                }
                writer.deleteDocuments(new Term("id", "d17"));
                writer.forceMerge(1);
            }
            try (IndexReader reader = DirectoryReader.open(folder)) {
                IndexSearcher searcher = new IndexSearcher(reader);
                System.out.println(reader.numDocs() + " documents");
                for (String query : new String[] {"monitor7", "heap AND NOT stack", "\"agent event\"~2", "fram*", "trce~1", "id:d42", "+class7 +probe", "[monitor1 TO monitor3]"}) {
                    TopDocs found = searcher.search(new QueryParser("text", analyzer).parse(query), 3);
                    System.out.println(query + ": " + found.totalHits);
                    for (ScoreDoc hit : found.scoreDocs) {
                        System.out.printf("  %s %.4f%n", searcher.doc(hit.doc).get("id"), hit.score);
                    }
                }
                TopDocs longest = searcher.search(new MatchAllDocsQuery(), 3, new Sort(new SortField("size", SortField.Type.LONG, true)));
                for (ScoreDoc hit : longest.scoreDocs) {
                    System.out.println(searcher.doc(hit.doc).get("text"));
                }
            }
        }
    }
}
