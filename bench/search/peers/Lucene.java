import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.util.QueryBuilder;

/**
 * Ranks queries with Lucene: BM25, EnglishAnalyzer, title and text in one field, any of the words. Arguments: a file of
 * `id<TAB>title<TAB>text` lines and a file of query lines. Prints the ids of each query's results.
 */
public class Lucene {
  public static void main(String[] arguments) throws Exception {
    BooleanQuery.setMaxClauseCount(10_000);
    EnglishAnalyzer analyzer = new EnglishAnalyzer();
    ByteBuffersDirectory directory = new ByteBuffersDirectory();
    try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
      for (String line : Files.readAllLines(Path.of(arguments[0]))) {
        String[] fields = line.split("\t", -1);
        Document document = new Document();
        document.add(new StringField("id", fields[0], Field.Store.YES));
        document.add(new TextField("text", fields[1] + "\n" + fields[2], Field.Store.NO));
        writer.addDocument(document);
      }
    }
    IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(directory));
    QueryBuilder builder = new QueryBuilder(analyzer);
    for (String line : Files.readAllLines(Path.of(arguments[1]))) {
      List<String> ids = new ArrayList<>();
      Query query = builder.createBooleanQuery("text", line);
      if (query != null)
        for (ScoreDoc found : searcher.search(query, 60).scoreDocs) ids.add(searcher.doc(found.doc).get("id"));
      System.out.println(String.join(" ", ids));
    }
  }
}
