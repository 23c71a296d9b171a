# SPDX-License-Identifier: Apache-2.0
"""Makes Java sources for ./dev demo to compile: varied, in the manner of real programs, and the
same ones each time.

A "shop" of a few modules, each a package `demo.mNN`. A dozen files are large: records, sealed
hierarchies and pattern matching, enums with bodies, generic containers with inner iterators,
builders, streams and lambdas, switch expressions, text blocks, exceptions. The others are the
small ones that every program has many of. Each package uses those before it, so that javac
resolves names across files as in a real build. `demo.Main` runs them all and prints one number,
which must be the same on every VM.
"""
import random
from pathlib import Path

NOUNS = ('Order Invoice Customer Parcel Ticket Account Ledger Route Sensor Booking Contract Policy '
         'Report Shelf Vessel Garden Lesson Recipe Signal Bridge').split()
FIELDS = ('amount weight height level count score rank limit price offset width balance stock '
          'delay share').split()
PARTS = 'Daily Remote Cached Legacy Local Shared Open'.split()
SMALL_FILES = 37
VERBS = 'open close hold ship sort merge split check'.split()


def capital(word: str) -> str:
    """The word with its first letter in upper case."""
    return word[0].upper() + word[1:]


class Module:
    """One package: its number, its vocabulary and its random choices, all from the number."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.rng = random.Random(1000 + number)
        self.package = f'demo.m{number:02d}'
        self.noun = NOUNS[number % len(NOUNS)]
        self.fields = self.rng.sample(FIELDS, 4)
        self.states = [v.upper() for v in self.rng.sample(VERBS, 5)]
        self.before = f'demo.m{number - 1:02d}' if number else ''

    def prime(self) -> int:
        """Some number to make the arithmetic of each file its own."""
        return self.rng.choice((7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43))

    def files(self) -> dict[str, str]:
        """File name -> source."""
        makers = (self.item, self.state, self.expr, self.ring, self.index, self.builder, self.query,
                  self.machine, self.events, self.text, self.matrix, self.failure, self.service)
        made = [maker() for maker in makers]
        small = (self.view, self.port, self.visitor, self.constants, self.error, self.node)
        made += [small[i % len(small)](i // len(small)) for i in range(SMALL_FILES)]
        return {name: f'package {self.package};\n\n{body}' for name, body in made}

    def part(self, turn: int) -> str:
        """A name for the small files of one turn."""
        return self.noun + PARTS[turn % len(PARTS)]

    def view(self, turn: int) -> tuple[str, str]:
        name = self.part(turn) + 'View'
        a, b = self.rng.sample(self.fields, 2)
        return f'{name}.java', f'''/** What a page shows of one {self.noun.lower()}. */
public record {name}(String title, int {a}, long {b}) {{
    public {name}({self.noun} item) {{
        this(item.name(), item.{self.fields[0]}(), item.weigh());
    }}

    public long rating() {{
        return {a} > {self.prime()} ? {a} * {self.prime()}L + {b} : {b} - title.length();
    }}
}}
'''

    def port(self, turn: int) -> tuple[str, str]:
        name = self.part(turn) + 'Port'
        return f'{name}.java', f'''import java.util.List;

@FunctionalInterface
public interface {name} {{
    int LIMIT = {self.prime()} * 10;

    long send({self.noun} item);

    default long sendAll(List<{self.noun}> items) {{
        long sum = 0;
        for ({self.noun} item : items) {{
            sum += send(item) % LIMIT;
        }}
        return sum;
    }}
}}
'''

    def visitor(self, turn: int) -> tuple[str, str]:
        name = self.part(turn) + 'Walker'
        return f'{name}.java', f'''public abstract class {name} {{
    protected int seen;

    protected abstract boolean enter({self.noun}State state);

    public final int walk(int steps) {{
        {self.noun}State state = {self.noun}State.{self.states[turn % 5]};
        while (steps-- > 0 && enter(state)) {{
            state = state.next();
            seen++;
        }}
        return seen;
    }}

    public static {name} until(int cost) {{
        return new {name}() {{
            @Override
            protected boolean enter({self.noun}State state) {{
                return state.cost() != cost;
            }}
        }};
    }}
}}
'''

    def constants(self, turn: int) -> tuple[str, str]:
        name = self.part(turn) + 'Limits'
        rows = ''.join(f'    public static final {kind} {field.upper()} = {value};\n' for kind, field, value in zip(
            ('int', 'long', 'String', 'double'), self.fields,
            (self.prime(), f'{self.prime()}L << 20', f'"{self.noun.lower()}:" + {self.prime()}', f'{self.prime()} / 8.0')))
        return f'{name}.java', f'''public final class {name} {{
{rows}
    private {name}() {{ }}

    public static boolean allows(int n) {{
        return n >= 0 && n < {self.fields[0].upper()} || n == -1;
    }}
}}
'''

    def error(self, turn: int) -> tuple[str, str]:
        name = self.part(turn) + 'Exception'
        return f'{name}.java', f'''public class {name} extends RuntimeException {{
    private static final long serialVersionUID = {self.prime()}L;
    private final transient {self.noun} item;

    public {name}(String message, {self.noun} item) {{
        super(message + " (" + item.name() + ")");
        this.item = item;
    }}

    public {self.noun} item() {{
        return item;
    }}
}}
'''

    def node(self, turn: int) -> tuple[str, str]:
        name = self.part(turn) + 'Node'
        return f'{name}.java', f'''public class {name}<K extends Comparable<K>> {{
    private final K key;
    private {name}<K> left;
    private {name}<K> right;

    public {name}(K key) {{
        this.key = key;
    }}

    public boolean insert(K k) {{
        int order = k.compareTo(key);
        if (order == 0) {{
            return false;
        }}
        {name}<K> child = order < 0 ? left : right;
        if (child != null) {{
            return child.insert(k);
        }}
        child = new {name}<>(k);
        if (order < 0) {{
            left = child;
        }} else {{
            right = child;
        }}
        return true;
    }}

    public int height() {{
        return 1 + Math.max(left == null ? 0 : left.height(), right == null ? 0 : right.height());
    }}
}}
'''

    def item(self) -> tuple[str, str]:
        a, b, c, d = self.fields
        noun = self.noun
        return f'{noun}.java', f'''import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** One {noun.lower()}, compared by {a} and then by name. */
public record {noun}(String name, int {a}, long {b}, double {c}, List<String> {d}Tags)
        implements Comparable<{noun}> {{
    public static final Comparator<{noun}> ORDER =
            Comparator.comparingInt({noun}::{a}).thenComparing({noun}::name);

    public {noun} {{
        Objects.requireNonNull(name, "name");
        if ({a} < 0) {{
            throw new IllegalArgumentException("{a} " + {a});
        }}
        {d}Tags = List.copyOf({d}Tags);
    }}

    public static {noun} of(int seed) {{
        return new {noun}("{noun.lower()}-" + seed, Math.abs(seed * {self.prime()} % 1000), seed * {self.prime()}L,
                seed / {self.prime()}.0, List.of("t" + seed % 3, "u" + seed % 5));
    }}

    public {noun} with{capital(a)}(int value) {{
        return new {noun}(name, value, {b}, {c}, {d}Tags);
    }}

    public long weigh() {{
        long sum = {a} + {b};
        for (String tag : {d}Tags) {{
            sum = sum * 31 + tag.length();
        }}
        return {c} > 10 ? sum : -sum;
    }}

    @Override
    public int compareTo({noun} other) {{
        return ORDER.compare(this, other);
    }}
}}
'''

    def state(self) -> tuple[str, str]:
        noun = self.noun
        rows = []
        for i, name in enumerate(self.states):
            after = self.states[(i + 1) % len(self.states)]
            rows.append(f'''    {name}("{name.lower()}", {self.prime()}) {{
        @Override
        public {noun}State next() {{
            return {after};
        }}
    }}''')
        return f'{noun}State.java', f'''import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

public enum {noun}State {{
{(',' + chr(10)).join(rows)};

    private final String label;
    private final int cost;

    {noun}State(String label, int cost) {{
        this.label = label;
        this.cost = cost;
    }}

    public abstract {noun}State next();

    public int cost() {{
        return cost;
    }}

    public boolean isFinal() {{
        return switch (this) {{
            case {self.states[0]}, {self.states[1]} -> false;
            case {self.states[2]} -> cost > 20;
            default -> true;
        }};
    }}

    public static Optional<{noun}State> byLabel(String label) {{
        return Arrays.stream(values()).filter(s -> s.label.equals(label)).findFirst();
    }}

    public static Map<{noun}State, Integer> walk(int steps) {{
        Map<{noun}State, Integer> seen = new EnumMap<>({noun}State.class);
        {noun}State at = {self.states[0]};
        for (int i = 0; i < steps; i++) {{
            seen.merge(at, at.cost(), Integer::sum);
            at = at.isFinal() && i % 3 == 0 ? at.next().next() : at.next();
        }}
        return seen;
    }}
}}
'''

    def expr(self) -> tuple[str, str]:
        noun = self.noun
        p = self.prime()
        return f'{noun}Formula.java', f'''import java.util.HashMap;
import java.util.Map;

/** Arithmetic on the figures of a {noun.lower()}: parsed, simplified and evaluated. */
public sealed interface {noun}Formula {{
    record Num(long value) implements {noun}Formula {{ }}

    record Var(String name) implements {noun}Formula {{ }}

    record Neg({noun}Formula of) implements {noun}Formula {{ }}

    record Bin(char op, {noun}Formula left, {noun}Formula right) implements {noun}Formula {{ }}

    default long eval(Map<String, Long> env) {{
        if (this instanceof Num n) {{
            return n.value();
        }} else if (this instanceof Var v) {{
            return env.getOrDefault(v.name(), {p}L);
        }} else if (this instanceof Neg n) {{
            return -n.of().eval(env);
        }} else if (this instanceof Bin b) {{
            long x = b.left().eval(env);
            long y = b.right().eval(env);
            return switch (b.op()) {{
                case '+' -> x + y;
                case '-' -> x - y;
                case '*' -> x * y;
                case '/' -> y == 0 ? 0 : x / y;
                default -> throw new IllegalStateException("operator " + b.op());
            }};
        }}
        throw new AssertionError();
    }}

    default {noun}Formula simplify() {{
        if (this instanceof Bin b) {{
            {noun}Formula l = b.left().simplify();
            {noun}Formula r = b.right().simplify();
            if (l instanceof Num x && r instanceof Num y) {{
                return new Num(new Bin(b.op(), x, y).eval(Map.of()));
            }}
            if (b.op() == '*' && l instanceof Num x && x.value() == 1) {{
                return r;
            }}
            return new Bin(b.op(), l, r);
        }}
        return this instanceof Neg n && n.of() instanceof Neg inner ? inner.of().simplify() : this;
    }}

    static {noun}Formula parse(String text) {{
        return new Parser(text).sum();
    }}

    final class Parser {{
        private final String text;
        private int at;

        Parser(String text) {{
            this.text = text.replace(" ", "");
        }}

        private boolean take(char c) {{
            if (at < text.length() && text.charAt(at) == c) {{
                at++;
                return true;
            }}
            return false;
        }}

        {noun}Formula sum() {{
            {noun}Formula left = product();
            while (true) {{
                if (take('+')) {{
                    left = new Bin('+', left, product());
                }} else if (take('-')) {{
                    left = new Bin('-', left, product());
                }} else {{
                    return left;
                }}
            }}
        }}

        {noun}Formula product() {{
            {noun}Formula left = unary();
            while (true) {{
                if (take('*')) {{
                    left = new Bin('*', left, unary());
                }} else if (take('/')) {{
                    left = new Bin('/', left, unary());
                }} else {{
                    return left;
                }}
            }}
        }}

        {noun}Formula unary() {{
            if (take('-')) {{
                return new Neg(unary());
            }}
            if (take('(')) {{
                {noun}Formula inner = sum();
                take(')');
                return inner;
            }}
            int from = at;
            while (at < text.length() && Character.isLetterOrDigit(text.charAt(at))) {{
                at++;
            }}
            String word = text.substring(from, at);
            return Character.isDigit(word.charAt(0)) ? new Num(Long.parseLong(word)) : new Var(word);
        }}
    }}

    static long demo(int seed) {{
        Map<String, Long> env = new HashMap<>();
        env.put("{self.fields[0]}", (long) seed);
        env.put("{self.fields[1]}", seed * {p}L);
        String source = "({self.fields[0]} + 3) * -{self.fields[1]} - " + seed + " / (2 + 1 * x)";
        return parse(source).simplify().eval(env);
    }}
}}
'''

    def ring(self) -> tuple[str, str]:
        noun = self.noun
        return f'{noun}Ring.java', f'''import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Predicate;

/** A bounded queue that forgets its oldest element. */
public class {noun}Ring<E extends Comparable<? super E>> extends AbstractCollection<E> {{
    private final Object[] slots;
    private int head;
    private int size;

    public {noun}Ring(int capacity) {{
        slots = new Object[capacity];
    }}

    @SuppressWarnings("unchecked")
    private E at(int i) {{
        return (E) slots[(head + i) % slots.length];
    }}

    @Override
    public boolean add(E e) {{
        if (size == slots.length) {{
            slots[head] = e;
            head = (head + 1) % slots.length;
        }} else {{
            slots[(head + size++) % slots.length] = e;
        }}
        return true;
    }}

    public E max() {{
        E best = null;
        for (E e : this) {{
            if (best == null || e.compareTo(best) > 0) {{
                best = e;
            }}
        }}
        return best;
    }}

    public <R extends Comparable<? super R>> {noun}Ring<R> map(Function<? super E, ? extends R> f) {{
        {noun}Ring<R> out = new {noun}Ring<>(slots.length);
        for (E e : this) {{
            out.add(f.apply(e));
        }}
        return out;
    }}

    public int drop(Predicate<? super E> test) {{
        int before = size;
        Object[] kept = new Object[slots.length];
        int n = 0;
        for (E e : this) {{
            if (!test.test(e)) {{
                kept[n++] = e;
            }}
        }}
        System.arraycopy(kept, 0, slots, 0, slots.length);
        head = 0;
        size = n;
        return before - n;
    }}

    @Override
    public int size() {{
        return size;
    }}

    @Override
    public Iterator<E> iterator() {{
        return new Cursor();
    }}

    private final class Cursor implements Iterator<E> {{
        private int next;

        @Override
        public boolean hasNext() {{
            return next < size;
        }}

        @Override
        public E next() {{
            if (!hasNext()) {{
                throw new NoSuchElementException();
            }}
            return at(next++);
        }}
    }}
}}
'''

    def index(self) -> tuple[str, str]:
        noun = self.noun
        a = self.fields[0]
        return f'{noun}Index.java', f'''import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.ToIntFunction;

/** Finds items by a figure, and folds over ranges of it. */
public final class {noun}Index<T> {{
    private final NavigableMap<Integer, List<T>> rows = new TreeMap<>();
    private final ToIntFunction<? super T> key;

    public {noun}Index(ToIntFunction<? super T> key) {{
        this.key = key;
    }}

    public {noun}Index<T> add(T item) {{
        rows.computeIfAbsent(key.applyAsInt(item), k -> new ArrayList<>()).add(item);
        return this;
    }}

    public List<T> range(int from, int to) {{
        List<T> out = new ArrayList<>();
        for (Map.Entry<Integer, List<T>> row : rows.subMap(from, true, to, false).entrySet()) {{
            out.addAll(row.getValue());
        }}
        return Collections.unmodifiableList(out);
    }}

    public <R> R fold(R start, BiFunction<? super R, ? super T, ? extends R> step) {{
        R result = start;
        outer:
        for (List<T> row : rows.values()) {{
            for (T item : row) {{
                result = step.apply(result, item);
                if (result == null) {{
                    break outer;
                }}
            }}
        }}
        return result;
    }}

    public static {noun}Index<{noun}> sample(int count) {{
        {noun}Index<{noun}> index = new {noun}Index<>({noun}::{a});
        for (int i = 0; i < count; i++) {{
            index.add({noun}.of(i));
        }}
        return index;
    }}
}}
'''

    def builder(self) -> tuple[str, str]:
        noun = self.noun
        a, b, c, d = self.fields
        setters = ''.join(f'''
    public {noun}Builder {name}({kind} value) {{
        this.{name} = value;
        return this;
    }}
''' for name, kind in (('name', 'String'), (a, 'int'), (b, 'long'), (c, 'double')))
        return f'{noun}Builder.java', f'''import java.util.LinkedHashSet;
import java.util.Set;
import java.util.List;

public class {noun}Builder {{
    private String name = "";
    private int {a};
    private long {b} = {self.prime()};
    private double {c} = {self.prime()} / 2.0;
    private final Set<String> tags = new LinkedHashSet<>();
{setters}
    public {noun}Builder tags(String... more) {{
        for (String tag : more) {{
            if (!tag.isBlank()) {{
                tags.add(tag.strip().toLowerCase());
            }}
        }}
        return this;
    }}

    public {noun} build() {{
        return new {noun}(name.isEmpty() ? "unnamed" : name, {a}, {b}, {c}, List.copyOf(tags));
    }}
}}
'''

    def query(self) -> tuple[str, str]:
        noun = self.noun
        a, b, c, _ = self.fields
        return f'{noun}Query.java', f'''import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

public final class {noun}Query {{
    private {noun}Query() {{ }}

    public static List<{noun}> sample(int count) {{
        return IntStream.range(0, count).mapToObj({noun}::of).collect(Collectors.toList());
    }}

    public static Map<String, Long> byTag(List<{noun}> items) {{
        return items.stream()
                .flatMap(i -> i.{self.fields[3]}Tags().stream().map(t -> Map.entry(t, i.{b}())))
                .collect(Collectors.groupingBy(Map.Entry::getKey, TreeMap::new,
                        Collectors.summingLong(Map.Entry::getValue)));
    }}

    public static String top(List<{noun}> items, int n) {{
        return items.stream()
                .sorted(Comparator.comparing({noun}::{a}).reversed().thenComparing({noun}::name))
                .limit(n)
                .map(i -> i.name() + "=" + i.{a}())
                .collect(Collectors.joining(", ", "[", "]"));
    }}

    public static double mean(List<{noun}> items) {{
        return items.stream().mapToDouble({noun}::{c}).filter(v -> v > 0.5).average().orElse(Double.NaN);
    }}

    public static long mixed(List<{noun}> items) {{
        var parts = items.stream().collect(Collectors.partitioningBy(i -> i.{a}() % 2 == 0));
        return Stream.of(true, false)
                .map(parts::get)
                .mapToLong(list -> list.stream().mapToLong({noun}::weigh).reduce(0, (x, y) -> x * 31 + y))
                .sum();
    }}
}}
'''

    def machine(self) -> tuple[str, str]:
        noun = self.noun
        ops = self.rng.sample(('PUSH', 'ADD', 'MUL', 'DUP', 'SWAP', 'JUMP', 'NEG', 'MOD'), 8)
        return f'{noun}Machine.java', f'''import java.util.Arrays;

/** A tiny stack machine, as every code base has one. */
public class {noun}Machine {{
    public enum Op {{ {', '.join(ops)}, HALT }}

    private long[] stack = new long[8];
    private int top;
    protected int steps;

    private void push(long v) {{
        if (top == stack.length) {{
            stack = Arrays.copyOf(stack, top * 2);
        }}
        stack[top++] = v;
    }}

    private long pop() {{
        return top == 0 ? {self.prime()} : stack[--top];
    }}

    public long run(int[] code, int limit) {{
        int pc = 0;
        while (pc < code.length && steps++ < limit) {{
            Op op = Op.values()[Math.floorMod(code[pc], Op.values().length)];
            int argument = code[pc] >> 4;
            pc++;
            switch (op) {{
                case PUSH:
                    push(argument);
                    break;
                case ADD:
                    push(pop() + pop());
                    break;
                case MUL:
                    push(pop() * (pop() | 1));
                    break;
                case DUP: {{
                    long v = pop();
                    push(v);
                    push(v);
                    break;
                }}
                case SWAP: {{
                    long x = pop();
                    long y = pop();
                    push(x);
                    push(y);
                    break;
                }}
                case JUMP:
                    pc = pop() > 0 ? Math.floorMod(argument, code.length) : pc;
                    break;
                case NEG:
                    push(-pop());
                    break;
                case MOD:
                    push(pop() % {self.prime()});
                    break;
                case HALT:
                default:
                    return pop();
            }}
        }}
        return pop();
    }}

    public static long demo(int seed) {{
        int[] code = new int[64];
        for (int i = 0, x = seed; i < code.length; i++) {{
            x = x * 1103515245 + 12345;
            code[i] = x >>> 8 & 0xfff;
        }}
        {noun}Machine machine = new {noun}Machine() {{
            @Override
            public String toString() {{
                return "{noun}Machine after " + steps;
            }}
        }};
        return machine.run(code, 500) + machine.toString().length();
    }}
}}
'''

    def events(self) -> tuple[str, str]:
        noun = self.noun
        return f'{noun}Events.java', f'''import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

public class {noun}Events {{
    public interface Event {{
        int id();
    }}

    public record Added({noun} item, int id) implements Event {{ }}

    public record Moved({noun}State from, {noun}State to, int id) implements Event {{ }}

    private final Map<Class<? extends Event>, List<Consumer<? super Event>>> listeners = new LinkedHashMap<>();

    public <E extends Event> void on(Class<E> type, Consumer<? super E> listener) {{
        listeners.computeIfAbsent(type, t -> new ArrayList<>())
                .add(event -> listener.accept(type.cast(event)));
    }}

    public void post(Event event) {{
        for (var entry : listeners.entrySet()) {{
            if (entry.getKey().isInstance(event)) {{
                entry.getValue().forEach(l -> l.accept(event));
            }}
        }}
    }}

    public static long demo(int count) {{
        AtomicLong sum = new AtomicLong();
        {noun}Events events = new {noun}Events();
        events.on(Added.class, e -> sum.addAndGet(e.item().weigh()));
        events.on(Moved.class, e -> sum.addAndGet(e.from().cost() - (long) e.to().cost() * {self.prime()}));
        events.on(Event.class, e -> sum.updateAndGet(v -> v ^ e.id()));
        {noun}State state = {noun}State.values()[0];
        for (int i = 0; i < count; i++) {{
            events.post(i % 2 == 0 ? new Added({noun}.of(i), i) : new Moved(state, state = state.next(), i));
        }}
        return sum.get();
    }}
}}
'''

    def text(self) -> tuple[str, str]:
        noun = self.noun
        return f'{noun}Text.java', f'''import java.util.Locale;
import java.util.StringJoiner;

final class {noun}Text {{
    private static final String PAGE = """
            <section class="{noun.lower()}">
              <h1>%s</h1>
              <p>{' '.join(self.fields)}: %d of "%d"</p>
            </section>
            """;

    static String page({noun} item) {{
        return PAGE.formatted(escape(item.name()), item.{self.fields[0]}(), item.weigh());
    }}

    static String escape(String s) {{
        StringBuilder out = new StringBuilder(s.length() + 16);
        for (char c : s.toCharArray()) {{
            switch (c) {{
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                default -> out.append(c);
            }}
        }}
        return out.toString();
    }}

    static int kind(String word) {{
        return switch (word.toLowerCase(Locale.ROOT)) {{
            case "{self.fields[0]}", "{self.fields[1]}" -> {self.prime()};
            case "{self.fields[2]}" -> {{
                int n = 0;
                do {{
                    n += word.charAt(n % word.length()) % 5 + 1;
                }} while (n < 20);
                yield n;
            }}
            default -> -1;
        }};
    }}

    static String table(int rows) {{
        StringJoiner lines = new StringJoiner("\\n");
        for (int i = 0; i < rows; i++) {{
            lines.add(i + "\\t" + {noun}.of(i).name() + '\\t' + kind("{self.fields[2]}" + (i % 2 == 0 ? "" : "s")));
        }}
        return lines.toString();
    }}

    private {noun}Text() {{ }}
}}
'''

    def matrix(self) -> tuple[str, str]:
        noun = self.noun
        p = self.prime()
        return f'{noun}Grid.java', f'''import java.util.Arrays;
import java.util.function.IntBinaryOperator;

public class {noun}Grid implements Cloneable {{
    private final int[][] cells;

    public {noun}Grid(int n, IntBinaryOperator f) {{
        cells = new int[n][n];
        for (int r = 0; r < n; r++) {{
            for (int c = 0; c < n; c++) {{
                cells[r][c] = f.applyAsInt(r, c);
            }}
        }}
    }}

    public {noun}Grid times({noun}Grid other) {{
        int n = cells.length;
        return new {noun}Grid(n, (r, c) -> {{
            long sum = 0;
            for (int k = 0; k < n; k++) {{
                sum += (long) cells[r][k] * other.cells[k][c];
            }}
            return (int) (sum % {p * 1009});
        }});
    }}

    public int trace() {{
        int sum = 0;
        for (int i = 0; i < cells.length; i++) {{
            sum += cells[i][i];
        }}
        return sum;
    }}

    @Override
    public {noun}Grid clone() {{
        return new {noun}Grid(cells.length, (r, c) -> cells[r][c]);
    }}

    @Override
    public boolean equals(Object o) {{
        return o instanceof {noun}Grid g && Arrays.deepEquals(cells, g.cells);
    }}

    @Override
    public int hashCode() {{
        return Arrays.deepHashCode(cells);
    }}

    public static int demo(int n) {{
        {noun}Grid grid = new {noun}Grid(n, (r, c) -> (r * {p} + c * {self.prime()}) % 17 - 8);
        return grid.times(grid.clone()).trace() ^ grid.hashCode();
    }}
}}
'''

    def failure(self) -> tuple[str, str]:
        noun = self.noun
        return f'{noun}Failure.java', f'''import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.Callable;

public class {noun}Failure extends Exception {{
    private static final long serialVersionUID = {self.prime()}L;
    private final int code;

    public {noun}Failure(String message, int code, Throwable cause) {{
        super(message, cause);
        this.code = code;
    }}

    static final class Resource implements Closeable {{
        private final StringBuilder log;
        private final String name;

        Resource(StringBuilder log, String name) {{
            this.log = log;
            this.name = name;
            log.append('+').append(name);
        }}

        void use(int n) throws IOException {{
            if (n % 3 == 0) {{
                throw new IOException(name + " at " + n);
            }}
        }}

        @Override
        public void close() {{
            log.append('-').append(name);
        }}
    }}

    static <T> T retry(int times, Callable<? extends T> action) throws {noun}Failure {{
        Throwable last = null;
        for (int i = 0; i < times; i++) {{
            try {{
                return action.call();
            }} catch (IOException | IllegalStateException e) {{
                last = e;
            }} catch (Exception e) {{
                throw new {noun}Failure("unexpected", i, e);
            }} finally {{
                assert i >= 0 : "never";
            }}
        }}
        throw new {noun}Failure("gave up after " + times, times, last);
    }}

    public static int demo(int seed) {{
        StringBuilder log = new StringBuilder();
        int[] n = {{seed}};
        try {{
            retry(3, () -> {{
                try (Resource a = new Resource(log, "a"); Resource b = new Resource(log, "b")) {{
                    a.use(n[0]);
                    b.use(n[0] += {self.rng.choice((2, 3, 6))});
                    return b.name;
                }}
            }});
        }} catch ({noun}Failure e) {{
            log.append('!').append(e.code).append(e.getCause() == null ? 'n' : 'c');
        }}
        return log.toString().hashCode();
    }}
}}
'''

    def service(self) -> tuple[str, str]:
        noun = self.noun
        a = self.fields[0]
        chain = f'{self.before}.{NOUNS[(self.number - 1) % len(NOUNS)]}Service.run(count / 2 + 1)' if self.before else '1'
        return f'{noun}Service.java', f'''import java.util.List;

/** Uses everything of this package and the service of the package before it. */
public final class {noun}Service {{
    private long sum;

    private class Step {{
        private final String name;

        Step(String name) {{
            this.name = name;
        }}

        void note(long value) {{
            sum = sum * 31 + value + name.length();
        }}
    }}

    private long all(int count) {{
        List<{noun}> items = {noun}Query.sample(count);
        new Step("tags").note({noun}Query.byTag(items).hashCode());
        new Step("top").note({noun}Query.top(items, 5).hashCode());
        new Step("mean").note(Double.doubleToLongBits({noun}Query.mean(items)));
        new Step("mixed").note({noun}Query.mixed(items));
        new Step("walk").note({noun}State.walk(count).values().stream().mapToInt(Integer::intValue).sum());
        new Step("formula").note({noun}Formula.demo(count));
        {noun}Ring<{noun}> ring = new {noun}Ring<>(7);
        items.forEach(ring::add);
        new Step("ring").note(ring.max().weigh() + ring.drop(i -> i.{a}() > 500) + ring.map({noun}::name).size());
        new Step("index").note({noun}Index.sample(count).<Long>fold(0L, (s, i) -> s + i.weigh())
                + {noun}Index.sample(count).range(10, 600).size());
        {noun} built = new {noun}Builder().name("x<y>").{a}(count).tags("A", " b ", "").build();
        new Step("text").note({noun}Text.page(built).hashCode() + {noun}Text.table(count).length());
        new Step("machine").note({noun}Machine.demo(count));
        new Step("events").note({noun}Events.demo(count));
        new Step("grid").note({noun}Grid.demo(6));
        new Step("failure").note({noun}Failure.demo(count));
        return sum;
    }}

    public static long run(int count) {{
        long before = {chain};
        return before * 17 + new {noun}Service().all(count);
    }}
}}
'''


def write_sources(folder: Path, files: int) -> list[Path]:
    """Writes whole modules until there are `files` files or more; returns their paths."""
    written: list[Path] = []
    number = 0
    while len(written) + 1 < files:
        module = Module(number)
        target = folder.joinpath(*module.package.split('.'))
        target.mkdir(parents=True, exist_ok=True)
        for name, text in module.files().items():
            (target / name).write_text(text, encoding='utf-8')
            written.append(target / name)
        number += 1
    last = f'demo.m{number - 1:02d}.{NOUNS[(number - 1) % len(NOUNS)]}Service'
    main = folder / 'demo' / 'Main.java'
    main.write_text(f'''package demo;

public final class Main {{
    public static void main(String[] args) {{
        System.out.println({last}.run(40));
    }}
}}
''', encoding='utf-8')
    return written + [main]
