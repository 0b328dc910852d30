import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.core.SimpleAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.Term;
import org.apache.lucene.monitor.MatchingQueries;
import org.apache.lucene.monitor.Monitor;
import org.apache.lucene.monitor.MonitorConfiguration;
import org.apache.lucene.monitor.MonitorQuery;
import org.apache.lucene.monitor.QueryMatch;
import org.apache.lucene.monitor.TermFilteredPresearcher;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.TermQuery;

/** Reads "id needle needle ..." lines up to an empty one, then titles; answers each title by a line of ids. */
public class LuceneMonitorPeer {
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
        BufferedWriter out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), 1 << 16);
        try (Monitor monitor = new Monitor(new SimpleAnalyzer(), new TermFilteredPresearcher(),
                new MonitorConfiguration())) {
            List<MonitorQuery> queries = new ArrayList<>();
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                String[] words = line.split(" ");
                BooleanQuery.Builder query = new BooleanQuery.Builder();
                for (int i = 1; i < words.length; i++) {
                    query.add(new TermQuery(new Term("title", words[i])), BooleanClause.Occur.FILTER);
                }
                queries.add(new MonitorQuery(words[0], query.build()));
            }
            monitor.register(queries);
            out.write("ready\n");
            out.flush();
            for (String title = in.readLine(); title != null; title = in.readLine()) {
                Document document = new Document();
                document.add(new TextField("title", title, Field.Store.NO));
                MatchingQueries<QueryMatch> found = monitor.match(document, QueryMatch.SIMPLE_MATCHER);
                StringBuilder ids = new StringBuilder();
                for (QueryMatch match : found.getMatches()) {
                    ids.append(match.getQueryId()).append(' ');
                }
                out.write(ids.append('\n').toString());
                out.flush();
            }
        }
    }
}
