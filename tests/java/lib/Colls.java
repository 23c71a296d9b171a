// SPDX-License-Identifier: Apache-2.0
// Collections, iterators, sorting, streams sequential and parallel, collectors, optionals.
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

public class Colls {
    record P(String n, int a) {}

    public static void main(String[] args) {
        Random r = new Random(1);
        List<Integer> l = IntStream.range(0, 500).map(i -> r.nextInt(1000)).boxed().collect(Collectors.toList());
        List<List<Integer>> kinds = List.of(new ArrayList<>(l), new LinkedList<>(l), new Vector<>(l), new ArrayList<>(new ArrayDeque<>(l)));
        for (List<Integer> k : kinds) {
            k.removeIf(x -> x % 3 == 0);
            k.replaceAll(x -> x + 1);
            k.sort(Comparator.reverseOrder());
            Collections.rotate(k, 5);
            System.out.println(k.hashCode() + " " + k.size() + " " + k.get(7) + " " + k.indexOf(k.get(9)) + " " + k.subList(3, 6));
        }
        Map<?, ?>[] ms = {new HashMap<>(), new TreeMap<>(), new LinkedHashMap<>(), new Hashtable<>(), new java.util.concurrent.ConcurrentSkipListMap<>()};
        for (Map<?, ?> m0 : ms) {
            @SuppressWarnings("unchecked") Map<String, Integer> m = (Map<String, Integer>) m0;
            for (int i = 0; i < 300; i++) {
                m.merge("k" + l.get(i) % 50, 1, Integer::sum);
            }
            m.computeIfPresent("k1", (k, v) -> null);
            m.putIfAbsent("new", 5);
            m.entrySet().removeIf(e -> e.getValue() == 3);
            System.out.println(m.hashCode() + " " + m.size() + " " + m.getOrDefault("zz", -1) + " " + new TreeMap<>(m).firstKey());
        }
        try {
            for (Integer x : l) {
                if (x > 500) {
                    l.remove(x);
                }
            }
        } catch (ConcurrentModificationException e) {
            System.out.println("CME");
        }
        try {
            List.of(1).add(2);
        } catch (UnsupportedOperationException e) {
            System.out.println("UOE");
        }
        PriorityQueue<Integer> pq = new PriorityQueue<>(l);
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < 10; i++) {
            sb.append(pq.poll()).append(' ');
        }
        System.out.println(sb);
        TreeSet<Integer> ts = new TreeSet<>(l);
        System.out.println(ts.floor(500) + " " + ts.ceiling(501) + " " + ts.headSet(100).size() + " " + ts.descendingSet().first());
        BitSet bs = new BitSet();
        l.forEach(bs::set);
        System.out.println(bs.cardinality() + " " + bs.nextClearBit(5));
        System.out.println(l.stream().filter(x -> x % 2 == 0).map(x -> "s" + x).sorted().limit(5).collect(Collectors.joining(",", "[", "]")));
        System.out.println(l.parallelStream().mapToInt(x -> x).summaryStatistics());
        Map<Integer, Long> grouped = l.parallelStream().collect(Collectors.groupingByConcurrent(x -> x % 7, Collectors.counting()));
        System.out.println(new TreeMap<>(grouped));
        System.out.println(Stream.iterate(1, x -> x * 2).takeWhile(x -> x < 1000).reduce(0, Integer::sum) + " " + IntStream.rangeClosed(1, 5).mapToObj(Integer::toString).toList()
            + Stream.of(List.of(1, 2), List.of(3)).flatMap(List::stream).toList() + Arrays.stream(new int[] {3, 1, 2}).sorted().boxed().toList());
        List<P> ps = List.of(new P("a", 3), new P("b", 1), new P("c", 3));
        System.out.println(ps.stream().collect(Collectors.partitioningBy(p -> p.a() > 2)) + " " + ps.stream().collect(Collectors.toMap(P::n, P::a)) + " "
            + ps.stream().sorted(Comparator.comparingInt(P::a).thenComparing(P::n, Comparator.reverseOrder())).toList() + ps.stream().collect(Collectors.teeing(Collectors.counting(), Collectors.averagingInt(P::a), (a, b) -> a + ":" + b)));
        try {
            ps.stream().collect(Collectors.toMap(P::a, P::n));
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        int[] big = new Random(5).ints(20000).toArray();
        int[] copy = big.clone();
        Arrays.sort(big);
        Arrays.parallelSort(copy);
        System.out.println(Arrays.equals(big, copy) + " " + Arrays.hashCode(big) + " " + Arrays.binarySearch(big, big[777]) + " " + Arrays.mismatch(big, copy) + " " + Arrays.compare(new int[] {1, 2}, new int[] {1, 3}));
        Object[] objs = l.toArray();
        Arrays.sort(objs, (a, b) -> ((Integer) b).compareTo((Integer) a));
        Integer[] typed = l.toArray(new Integer[0]);
        Arrays.parallelPrefix(typed, Integer::sum);
        System.out.println(objs[3] + " " + typed[typed.length - 1] + " " + Arrays.asList(1, 2, 3) + Collections.nCopies(3, "x") + Collections.frequency(l, l.get(0)));
        long[] lp = new long[5000];
        Arrays.parallelSetAll(lp, i -> i * 3L);
        System.out.println(LongStream.of(lp).parallel().filter(x -> x % 2 == 1).sum());
        Spliterator<Integer> sp = l.spliterator();
        Spliterator<Integer> half = sp.trySplit();
        System.out.println(half.estimateSize() + " " + sp.estimateSize() + " " + sp.hasCharacteristics(Spliterator.SIZED));
        Optional<String> o = Optional.empty();
        System.out.println(o.or(() -> Optional.of("or")).map(String::length).get() + " " + o.isPresent());
        try {
            o.orElseThrow();
        } catch (NoSuchElementException e) {
            System.out.println(e.getMessage());
        }
    }
}
