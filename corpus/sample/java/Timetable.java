import java.time.LocalTime;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

/** Reads departures in the background; some lines are wrong in different ways. */
public class Timetable {
    record Departure(LocalTime time, String town, int platform) {
        Departure {
            if (platform > 12) throw new IllegalArgumentException("there is no platform " + platform + " in " + town);
        }
    }

    static class UnreadableLine extends RuntimeException {
        UnreadableLine(int number, String line, Throwable cause) {
            super("line " + number + " cannot be read: " + line, cause);
        }
    }

    static Departure read(int number, String line) {
        String[] words = line.split(" ");
        try {
            return new Departure(LocalTime.parse(words[0]), words[1], Integer.parseInt(words[2]));
        } catch (RuntimeException fault) {
            UnreadableLine seen = new UnreadableLine(number, line, fault);
            if (words.length < 3) seen.addSuppressed(new IndexOutOfBoundsException("only " + words.length + " words"));
            throw seen;
        }
    }

    static CompletableFuture<TreeMap<LocalTime, Departure>> load(String name, String text) {
        List<String> lines = Arrays.asList(text.split("\n"));
        return CompletableFuture.supplyAsync(() -> lines.stream()
                .map(line -> read(lines.indexOf(line) + 1, line))
                .collect(Collectors.toMap(Departure::time, one -> one, (a, b) -> a, TreeMap::new)))
            .thenApply(board -> {
                System.out.println(name + ": " + board.size() + " departures, the first at " + board.firstKey());
                return board;
            });
    }

    public static void main(String[] args) {
        for (String text : List.of("08:15 Kiel 2\n09:40 Bern 11", "25:10 Lyon 3", "10:05 Porto four", "11:30 Kiel 14", "12:00 Bern", "")) {
            try {
                load("board", text).join();
            } catch (CompletionException fault) {
                fault.printStackTrace();
            }
        }
        new TreeMap<LocalTime, Departure>().firstEntry().getValue();
    }
}
