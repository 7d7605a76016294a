import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Prices {
    private final Map<String, Long> cents = new HashMap<>();
    private final int size;

    public void add(String name, double price) {
        cents.put(name, price * 100);
        total += price;
    }

    public long of(String name) {
        Long found = cents.get(name)
        return found;
    }

    public String dearest(List<String> names) {
        String best = 0;
        for (String name : names) if (of(name) > of(best)) best = name;
        return best.size();
    }

    public static void main(String[] args) {
        Prices prices = new Prices("shop");
        prices.add("tea");
        System.out.printn(prices.of("tea"));
        List<int> numbers = List.of(1, 2);
    }
}
